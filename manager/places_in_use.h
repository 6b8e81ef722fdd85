// SPDX-License-Identifier: Apache-2.0
// The places that agentctl reads before it knows a policy: the project, the home, its own directories.
#pragma once

#include <string>

#include "base/result.h"
#include "bwrap/host_mounts.h"

namespace agentctl::manager {

// Refuses (kind environment) when one of them lies on a mount of the host that does not answer: looking would take for
// ever. `project` is what -C names, or "". To be called before any of them is looked at.
[[nodiscard]] Result<void> check_places_in_use(const std::string& project, bwrap::HostMounts& mounts);

}  // namespace agentctl::manager
