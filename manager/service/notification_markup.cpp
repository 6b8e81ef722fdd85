// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification_markup.h"

#include "base/text.h"

namespace agentctl::manager::service {
namespace {

constexpr std::size_t kLongestLine = 240;  // bytes
constexpr std::size_t kMostLines = 6;

// Cuts between characters, and before anything is escaped: half an entity would break the whole body.
std::string short_line(std::string_view text) {
  std::string line = printable(text);
  if (line.size() <= kLongestLine) return line;
  std::size_t end = kLongestLine;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
  return cat(line.substr(0, end), "…");
}

std::string escape(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

}  // namespace

std::string notification_title(std::string_view text) { return short_line(text); }

std::string notification_body(const std::vector<std::string>& lines) {
  std::vector<std::string> shown;
  for (const std::string& line : lines) {
    if (shown.size() == kMostLines) {
      shown.push_back(cat("and ", lines.size() - kMostLines, " more"));
      break;
    }
    shown.push_back(escape(short_line(line)));
  }
  return join(shown, "\n");
}

}  // namespace agentctl::manager::service
