// SPDX-License-Identifier: Apache-2.0
// The options that make the sandbox: the same for what starts it, explains it and probes it.
#pragma once

#include <CLI/CLI.hpp>

#include "manager/cli.h"

namespace agentctl::manager::command_line {

// `start` must live as long as the command.
void add_sandbox_options(CLI::App& command, StartOptions& start);

// For what has --no-limits and --manager, too: what would be without effect beside it is refused.
[[nodiscard]] Result<void> check_no_limits(const CLI::App& command, const StartOptions& start);

}  // namespace agentctl::manager::command_line
