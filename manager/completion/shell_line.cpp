// SPDX-License-Identifier: Apache-2.0
#include "manager/completion/shell_line.h"

namespace agentctl::manager {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kEscapedInDoubleQuotes = "\"\\$`";  // bash(1), QUOTING

// Takes one word from the front of `line`. An open quote lasts until the end.
std::string take_word(std::string_view& line) {
  std::string word;
  char quote = '\0';
  while (!line.empty()) {
    const char character = line.front();
    if (quote == '\0' && kBlanks.find(character) != std::string_view::npos) break;
    line.remove_prefix(1);
    if (character == quote) {
      quote = '\0';
    } else if (quote == '\0' && (character == '\'' || character == '"')) {
      quote = character;
    } else if (character == '\\' && quote != '\'' && !line.empty() &&
               (quote == '\0' || kEscapedInDoubleQuotes.find(line.front()) != std::string_view::npos)) {
      word += line.front();
      line.remove_prefix(1);
    } else if (character != '\\' || quote != '\0' || !line.empty()) {  // a last backslash escapes what is not there yet
      word += character;
    }
  }
  return word;
}

}  // namespace

ShellLine read_shell_line(std::string_view line) {
  ShellLine read;
  const std::size_t size = line.size();
  while (true) {
    const std::size_t blanks = line.find_first_not_of(kBlanks);
    line.remove_prefix(blanks == std::string_view::npos ? line.size() : blanks);
    read.begins.push_back(size - line.size());
    read.words.push_back(take_word(line));
    if (line.empty()) return read;  // else a blank stands there, and another word after it
  }
}

std::size_t kept_by_readline(std::string_view word, std::string_view part) {
  const std::string plain =
      part.find_first_not_of("=:@") == std::string_view::npos ? std::string() : read_shell_line(part).words.back();
  std::string_view replaced = plain;
  while (!word.ends_with(replaced)) replaced.remove_suffix(1);
  return word.size() - replaced.size();
}

}  // namespace agentctl::manager
