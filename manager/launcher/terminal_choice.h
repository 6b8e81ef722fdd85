// SPDX-License-Identifier: Apache-2.0
// Which terminal emulator opens a window, and how it takes the command that runs in it. Freedesktop knows no standard
// way; xdg-terminal-exec is the proposed one, x-terminal-emulator Debian's (Debian policy 11.8.3). Pure.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::launcher {

// The absolute path of a program, or "".
using FindProgram = std::function<std::string(const std::string& name)>;

struct Terminal {
  std::string program;               // absolute
  std::vector<std::string> options;  // what stands before the command
  std::string remark;                // for the user: why it is not the one that was asked for; or ""
};

// `preferred` is the user's $TERMINAL, a name or a path, with options or without, or "". Kind environment when there is
// no terminal at all.
[[nodiscard]] Result<Terminal> choose_terminal(const std::string& preferred, const FindProgram& find);

[[nodiscard]] std::vector<std::string> window_command(const Terminal& terminal, const std::vector<std::string>& words);

}  // namespace agentctl::launcher
