// SPDX-License-Identifier: Apache-2.0
// Diagnostics for developers and for the journal; spdlog stands behind it. Results go to stdout and the one error line
// of a command is printed by main: neither passes through here. Never log values of the environment.
#pragma once

#include <string_view>

namespace agentctl::log {

// Level from $AGENTCTL_LOG ("debug", "info", "warn", "error"; default "warn"); the sink is stderr. Without a call, or
// below the level, a message costs one comparison.
void set_up();
void debug(std::string_view message);
void info(std::string_view message);
void warn(std::string_view message);

}  // namespace agentctl::log
