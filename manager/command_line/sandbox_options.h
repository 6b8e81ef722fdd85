// SPDX-License-Identifier: Apache-2.0
// The options that make the sandbox: the same for what starts it and for what explains it.
#pragma once

#include <CLI/CLI.hpp>

#include "manager/cli.h"

namespace agentctl::manager::command_line {

// `start` must live as long as the command.
void add_sandbox_options(CLI::App& command, StartOptions& start);

}  // namespace agentctl::manager::command_line
