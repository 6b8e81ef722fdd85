// SPDX-License-Identifier: Apache-2.0
// What runs in a window that the launcher opens: agentctl again, as a child of the terminal, which tells the launcher
// that the window is there, runs a command of agentctl's as its own child, and keeps the window open after one that
// failed, until a key is pressed. It is the parent of the session, and ends with the terminal (SIGHUP, end of file), so
// that closing the window ends the session.
#pragma once

#include <string>
#include <vector>

#include "base/process.h"
#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::launcher {

struct WindowRequest {
  ProcessIdentity launcher;        // who waits for the window
  std::vector<std::string> words;  // of agentctl's command, from its verb on
};

// The words after the program's name, made of plain words (plain_word.h) alone. Pure.
[[nodiscard]] std::vector<std::string> to_window_words(const WindowRequest& request);
// From the words after manager::kWindowVerb. Pure.
[[nodiscard]] Result<WindowRequest> parse_window_words(const std::vector<std::string>& words);

// The command's exit status; its errors are told here, in the window.
[[nodiscard]] Result<int> run_in_window(const manager::WindowOptions& options);

}  // namespace agentctl::launcher
