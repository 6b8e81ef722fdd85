// SPDX-License-Identifier: Apache-2.0
// Small text tools: joining, splitting, and the two ways in which foreign text may be shown.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace agentctl {

namespace detail {
inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, char character) { out += character; }
template <typename N>
requires(std::is_integral_v<N> && !std::is_same_v<N, char>) void append(std::string& out, N number) {
  out += std::to_string(number);
}
inline std::size_t length_of(std::string_view text) { return text.size(); }
inline std::size_t length_of(char) { return 1; }
template <typename N>
requires(std::is_integral_v<N> && !std::is_same_v<N, char>) std::size_t length_of(N) {
  return std::numeric_limits<N>::digits10 + 2;
}
}  // namespace detail

// cat("cannot open '", path, "', line ", 3): text and whole numbers put one after the other.
template <typename... Parts>
[[nodiscard]] std::string cat(const Parts&... parts) {
  std::string out;
  out.reserve((std::size_t{0} + ... + detail::length_of(parts)));
  (detail::append(out, parts), ...);
  return out;
}

// Calls `visit` with each part of `text`, empty ones too: at least one.
template <typename Visit>
void for_each_part(std::string_view text, char separator, Visit visit) {
  while (true) {
    const std::size_t at = text.find(separator);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + 1);
  }
}

[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
// The first `most` of them, then how many more there are: "a, b and 192 more".
[[nodiscard]] std::string join_some(const std::vector<std::string>& parts, std::string_view separator,
                                    std::size_t most);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string ascii_lower(std::string_view text);                           // other letters stay
[[nodiscard]] bool starts_with_path(std::string_view path, std::string_view ancestor);  // equal, or below it

// Makes text that an agent, a project or a file name may have chosen safe for a terminal: control bytes, C1
// controls, bidirectional overrides and invalid UTF-8 come out as visible escapes (\x1b, \u202e). One line.
[[nodiscard]] std::string printable(std::string_view text);

// A word as a POSIX shell would need it typed; only for messages and --dry-run, nothing is ever run through a shell.
[[nodiscard]] std::string shell_quote(std::string_view word);
[[nodiscard]] std::string shell_quote(const std::vector<std::string>& words);

// A JSON string literal with its quotes. Invalid UTF-8 becomes U+FFFD, controls and C1 become \u escapes.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace agentctl
