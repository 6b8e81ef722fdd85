// SPDX-License-Identifier: Apache-2.0
// A word of any bytes written with letters, digits and "/.-_" alone, the rest as _hh (as sd_bus_path_encode(3) does),
// and back. Terminal emulators take the command that they run in many ways: as a list, as one text that a shell or a
// parser of theirs cuts again, over a bus that carries UTF-8 only. Such a word means the same to all of them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::launcher {

// Never empty, and never with a "-" in front, which could be an option of the terminal's.
[[nodiscard]] std::string to_plain_word(std::string_view word);
// Refuses what to_plain_word() does not write.
[[nodiscard]] Result<std::string> from_plain_word(std::string_view text);

}  // namespace agentctl::launcher
