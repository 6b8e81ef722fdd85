// SPDX-License-Identifier: Apache-2.0
// `agentctl launch`: a project and a profile are chosen, and a session is started in a window of the user's terminal
// emulator, or on the terminal that this runs on. What goes wrong without a terminal is shown in a window or by a
// notification, and goes to standard error (the journal) as well.
#pragma once

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::launcher {

[[nodiscard]] Result<int> run_launch(const manager::LaunchOptions& options);

}  // namespace agentctl::launcher
