// SPDX-License-Identifier: Apache-2.0
// Whether a process that makes user and cgroup namespaces of its own, and mounts the cgroups in them, finds its limits
// shut: the mount option nsdelegate of cgroup2 has the kernel refuse writes to the knobs of a cgroup namespace's root,
// whoever owns the files (Documentation/admin-guide/cgroup-v2.rst, "Delegation"). systemd mounts it so. In v1 nothing
// but the owner of the files counts, and that is root.
#pragma once

#include <string_view>

#include "base/result.h"
#include "units/cgroup.h"

namespace agentctl::units {

// Pure: of the text of /proc/self/mountinfo, the mount at /sys/fs/cgroup.
[[nodiscard]] bool has_delegation_boundary(std::string_view mountinfo);
// For a session of an ordinary user that may make namespaces. Errors are of kind environment.
[[nodiscard]] Result<void> prove_delegation_boundary(const Cgroup& cgroup);

}  // namespace agentctl::units
