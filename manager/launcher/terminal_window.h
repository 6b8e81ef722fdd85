// SPDX-License-Identifier: Apache-2.0
// Opening a window of the user's terminal emulator with a command of agentctl's in it (window_program.h). An emulator
// may hand the request over to a server and end at once, or run as long as its window: so the window counts as open
// when what runs in it says so, by a signal. The emulator gets a session of its own and outlives the launcher.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/launcher/terminal_choice.h"

namespace agentctl::launcher {

inline constexpr std::uint64_t kWindowDeadlineUsec = 30'000'000;  // a desktop may be busy right after the login

// Returns when `words` are being run in the window. An Error of kind environment names the emulator and, if it has
// ended before, the last line that it said.
[[nodiscard]] Result<void> open_window(const Terminal& terminal, const std::vector<std::string>& words,
                                       std::uint64_t deadline_usec = kWindowDeadlineUsec);

// The last line of `text` that is not blank, safe to be shown. Pure.
[[nodiscard]] std::string last_line(std::string_view text);

}  // namespace agentctl::launcher
