// SPDX-License-Identifier: Apache-2.0
// One more program in a running session, beside our own standard streams: into its cgroup first, then into its sandbox,
// and watched until it ends.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/registry.h"

namespace agentctl::manager {

// Gives the exit status as a shell would; a program that cannot be executed is told and is 126 or 127. `file`: see
// SessionProgram::find.
[[nodiscard]] Result<int> run_in_session(const KnownSession& session, const std::vector<std::string>& command,
                                         int file = -1);

}  // namespace agentctl::manager
