// SPDX-License-Identifier: Apache-2.0
// A line as it stands in a shell, up to the cursor, taken apart into words the way bash would, but for all that bash
// would look up or run: variables, substitutions and ~ stay as they are typed. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agentctl::manager {

struct ShellLine {
  std::vector<std::string> words;   // without quotes; the last one is being typed, and empty after a blank
  std::vector<std::size_t> begins;  // where in the line each begins
};

[[nodiscard]] ShellLine read_shell_line(std::string_view line);

// How many bytes of `word`, the last one without quotes, readline keeps: it replaces only what follows the last of its
// word breaks ('=', ':', '@'), which is `part` as COMP_WORDS shows it, with what stands behind the cursor.
[[nodiscard]] std::size_t kept_by_readline(std::string_view word, std::string_view part);

}  // namespace agentctl::manager
