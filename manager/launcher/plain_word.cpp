// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/plain_word.h"

#include "base/text.h"

namespace agentctl::launcher {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kEscapeLength = 3;  // "_hh"

bool is_plain(char character, bool is_first) {
  if ((character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')) return true;
  if ((character >= '0' && character <= '9') || character == '/' || character == '.') return true;
  return character == '-' && !is_first;
}

}  // namespace

std::string to_plain_word(std::string_view word) {
  if (word.empty()) return "_";
  std::string text;
  for (const char character : word) {
    if (is_plain(character, text.empty())) {
      text += character;
      continue;
    }
    const auto byte = static_cast<unsigned char>(character);
    text += {'_', kDigits[byte >> 4U], kDigits[byte & 15U]};
  }
  return text;
}

Result<std::string> from_plain_word(std::string_view text) {
  std::string word;
  const std::string_view all = text;
  while (!text.empty() && all != "_") {
    if (is_plain(text[0], word.empty())) {
      word += text[0];
      text.remove_prefix(1);
      continue;
    }
    const std::size_t high = text.size() < kEscapeLength ? std::string_view::npos : kDigits.find(text[1]);
    const std::size_t low = text.size() < kEscapeLength ? std::string_view::npos : kDigits.find(text[2]);
    if (text[0] != '_' || high == std::string_view::npos || low == std::string_view::npos)
      return make_error(ErrorKind::usage, cat("'", printable(all), "' is no word of agentctl's own"));
    word += static_cast<char>(high << 4U | low);
    text.remove_prefix(kEscapeLength);
  }
  if (all.empty() || to_plain_word(word) != all || word.find('\0') != std::string::npos)
    return make_error(ErrorKind::usage, cat("'", printable(all), "' is no word of agentctl's own"));
  return word;
}

}  // namespace agentctl::launcher
