// SPDX-License-Identifier: Apache-2.0
// Whether agentctl runs inside a session already. A session in a session would ask for a scope and a share of its own
// beside the outer one's limits; so it is refused.
#pragma once

#include <string_view>

#include "base/result.h"

namespace agentctl::manager {

// Pure: by the variable AGENTCTL, which the sandbox sets, and the text of /proc/self/cgroup: a process that has left
// the sandbox's namespaces (nsenter) still has both.
[[nodiscard]] bool is_below_session(std::string_view variable, std::string_view proc_cgroup);

// Inside of a session's sandbox or scope.
[[nodiscard]] bool is_inside_session();
// An Error of kind policy there.
[[nodiscard]] Result<void> check_no_outer_session();

}  // namespace agentctl::manager
