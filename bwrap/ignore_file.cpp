// SPDX-License-Identifier: Apache-2.0
#include "bwrap/ignore_file.h"

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kWildcards = "*?[\\";
constexpr std::string_view kEndOfLine = "\r\n";
constexpr std::size_t kLongestLine = 4095;

// Trailing spaces count only behind a backslash.
std::string_view without_trailing_spaces(std::string_view line) {
  while (line.ends_with(' ') && !line.ends_with("\\ ")) line.remove_suffix(1);
  return line;
}

// git's sets know classes ("[[:alpha:]]") and escapes, policy::Glob's do not.
bool is_beyond_glob(std::string_view pattern) {
  if (pattern.size() > kLongestLine || policy::has_open_set(pattern)) return true;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      if (++at == pattern.size()) return true;
    } else if (pattern[at] == '[') {
      return pattern.find_first_of(":\\", at) != std::string_view::npos;
    }
  }
  return false;
}

// As policy::Glob has it, from the directory of the file. A name without a slash is looked for at any depth.
std::string glob_text(std::string_view pattern) {
  std::string text = cat(pattern.find('/') == std::string_view::npos ? "/**/" : "/", pattern);
  if (pattern.ends_with("/**")) text += "/*";  // what is in the directory, not the directory itself
  return text;
}

}  // namespace

IgnoreFile::IgnoreFile(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for_each_part(text, '\n', [&](std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    add(without_trailing_spaces(line));
  });
}

void IgnoreFile::add(std::string_view text) {
  if (text.empty() || text.starts_with('#')) return;
  const bool is_negated = text.starts_with('!');
  if (is_negated) text.remove_prefix(1);
  const bool is_of_directories = text.ends_with('/');
  if (is_of_directories) text.remove_suffix(1);
  if (text.empty()) return;
  if (!is_beyond_glob(text)) {
    lines_.push_back({policy::Glob(glob_text(text)), is_negated, is_of_directories});
  } else if (is_negated) {
    lines_.push_back({policy::Glob("/**"), true, false});
  }
}

IgnoreVerdict IgnoreFile::verdict(std::string_view path, bool is_directory) const {
  const std::string full = cat("/", path);
  for (auto line = lines_.rbegin(); line != lines_.rend(); ++line) {
    if (line->is_of_directories && !is_directory) continue;
    const std::string& base = line->glob.base();
    if (!starts_with_path(full, base)) continue;
    if (!line->glob.matches(std::string_view(full).substr(base.size()))) continue;
    return line->is_negated ? IgnoreVerdict::included : IgnoreVerdict::ignored;
  }
  return IgnoreVerdict::unsaid;
}

std::string ignore_line(std::string_view path) {
  std::string line = "/";
  for (const char c : path) {
    if (kEndOfLine.find(c) != std::string_view::npos) {
      line += '?';
      continue;
    }
    if (kWildcards.find(c) != std::string_view::npos || c == ' ') line += '\\';
    line += c;
  }
  return line;
}

}  // namespace agentctl::bwrap
