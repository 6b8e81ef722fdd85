// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

constexpr std::size_t kShownLine = 160;  // bytes of a line that are worth showing

// The line as shown, and under it a caret below `column`. Columns count code points of the raw line; an escape that
// printable() puts in is wider than what it stands for, so the part before the column is measured as shown.
std::string show_line(std::string_view line, int column) {
  std::size_t at = 0;
  for (int seen = 1; at < line.size() && seen < column; ++seen) {
    ++at;
    while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80) ++at;
  }
  std::string untabbed(line);
  for (char& character : untabbed) {
    if (character == '\t') character = ' ';
  }
  const std::string_view text = untabbed;
  std::size_t width = 0;
  for (const char byte : printable(text.substr(0, at))) {
    if ((static_cast<unsigned char>(byte) & 0xc0) != 0x80) ++width;
  }
  return cat("\n    ", printable(text), "\n    ", std::string(width, ' '), '^');
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
  std::string text = cat(to_string(diagnostic.origin), ": error: ", diagnostic.message);
  if (!diagnostic.line_text.empty() && diagnostic.origin.column > 0 && diagnostic.line_text.size() <= kShownLine) {
    text += show_line(diagnostic.line_text, diagnostic.origin.column);
  }
  return text;
}

Result<void> to_result(const std::vector<Diagnostic>& mistakes) {
  if (mistakes.empty()) return {};
  std::string text;
  for (const Diagnostic& mistake : mistakes) {
    if (!text.empty()) text += '\n';
    text += render(mistake);
  }
  return make_error(ErrorKind::policy, std::move(text));
}

}  // namespace agentctl::policy
