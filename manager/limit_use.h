// SPDX-License-Identifier: Apache-2.0
// What new limits mean for what a session uses already: a memory limit below that has the kernel take memory away, and
// kill where it cannot; a task limit below that only refuses further forks. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/limit_change.h"
#include "units/cgroup.h"

namespace agentctl::manager {

// Refuses what could kill processes of the session.
[[nodiscard]] Result<void> check_use(const LimitChange& change, const units::CgroupUsage& usage);
// A sentence for each limit that is reached at once, and kills nobody.
[[nodiscard]] std::vector<std::string> describe_use(const LimitChange& change, const units::CgroupUsage& usage);

}  // namespace agentctl::manager
