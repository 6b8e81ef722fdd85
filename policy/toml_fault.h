// SPDX-License-Identifier: Apache-2.0
// What to make of a fault of syntax: the parser's words in ours, and whether the rest of the file can still be read
// without that line, so that one reading shows as many mistakes as possible. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::policy {

struct TomlFault {
  std::string message;
  int column = 0;
  bool can_skip_line = false;  // the line is a whole "key = value" and nothing around it depends on it
};
[[nodiscard]] TomlFault explain_toml_fault(std::string_view description, std::string_view line, int column);

[[nodiscard]] std::vector<std::string> split_lines(std::string_view text);  // without line ends, LF or CRLF
// Empties line `number` (from 1) of `text`; false if there is none, or it is empty.
[[nodiscard]] bool blank_line(std::string& text, std::size_t number);

}  // namespace agentctl::policy
