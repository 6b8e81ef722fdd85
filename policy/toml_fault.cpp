// SPDX-License-Identifier: Apache-2.0
#include "policy/toml_fault.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kPrefix = "Error while parsing ";
constexpr std::string_view kTwice = "cannot redefine existing ";

bool is_header(std::string_view line) { return trim(line).starts_with('['); }

std::string_view key_of(std::string_view line) {
  const std::size_t equals = line.find('=');
  return equals == std::string_view::npos ? std::string_view() : trim(line.substr(0, equals));
}

std::size_t count_characters(std::string_view text) {
  const auto is_first = [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; };
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_first));
}

// A line that opens or closes a list, an inline table or text of several lines takes others with it.
bool is_whole_pair(std::string_view line) {
  const auto count = [&](char character) { return std::count(line.begin(), line.end(), character); };
  const bool is_long_text = line.find("\"\"\"") != std::string_view::npos || line.find("'''") != std::string_view::npos;
  return !key_of(line).empty() && !is_header(line) && !is_long_text && count('[') == count(']') &&
         count('{') == count('}');
}

// "8G" and "yes" without quotes are the commonest slip.
bool is_bare_word(std::string_view line, int column) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || column <= static_cast<int>(equals) + 1) return false;
  const std::string_view value = trim(line.substr(equals + 1));
  return !value.empty() && value.find_first_of("\"'[]{},") == std::string_view::npos;
}

int first_column(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string_view::npos ? 1 : static_cast<int>(at) + 1;
}

}  // namespace

TomlFault explain_toml_fault(std::string_view description, std::string_view line, int column) {
  TomlFault fault;
  fault.column = column;
  fault.can_skip_line = is_whole_pair(line) && description.find("parsing array") == std::string_view::npos;
  if (const std::size_t at = description.find(kTwice); at != std::string_view::npos) {
    const std::string_view what = description.substr(at + kTwice.size());
    const std::string_view name = what.substr(std::min(what.find('\''), what.size()));
    fault.message = cat(is_header(line) ? "table " : "key ", printable(name), " is given twice");
    fault.column = first_column(line);
    return fault;
  }
  if (description.starts_with(kPrefix)) description.remove_prefix(kPrefix.size());
  const bool is_at_end = column > 0 && static_cast<std::size_t>(column) > count_characters(line);
  std::string detail = printable(description);
  if (is_at_end && description.find("string: unescaped control") != std::string_view::npos) {
    detail = "the closing quote is missing";
  } else if (const std::size_t saw = detail.find("saw '\\n'"); saw != std::string::npos) {
    detail.replace(saw, 8, "saw the end of the line");
  }
  fault.message = cat("not valid TOML: ", detail);
  if (is_bare_word(line, column) && !is_header(line)) fault.message += "; text must stand in quotes";
  return fault;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines = split(text, '\n');
  for (std::string& line : lines) {
    if (line.ends_with('\r')) line.pop_back();
  }
  return lines;
}

bool blank_line(std::string& text, std::size_t number) {
  std::size_t from = 0;
  for (std::size_t line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n', from);
    if (end == std::string::npos) return false;
    from = end + 1;
  }
  const std::size_t end = std::min(text.find('\n', from), text.size());
  if (end == from) return false;
  text.erase(from, end - from);
  return true;
}

}  // namespace agentctl::policy
