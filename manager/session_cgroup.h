// SPDX-License-Identifier: Apache-2.0
// How a process comes into the scope of a session that runs already. From a login session the kernel lets an ordinary
// user move nothing into the user manager's tree, and the manager itself attaches no foreign process either: it goes
// through a transient scope of its own, which lies in that tree and is gone once it is empty.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "manager/record.h"
#include "units/cgroup.h"

namespace agentctl::manager {

// The cgroup that a record names, proven to be that of the session's leader. Kind environment for a session without.
[[nodiscard]] Result<units::Cgroup> open_session_cgroup(const Record& record);

// `pid` is a held child of the caller's. Proven: it is there in every hierarchy.
[[nodiscard]] Result<void> move_into_session(pid_t pid, const Record& record, const units::Cgroup& cgroup);

}  // namespace agentctl::manager
