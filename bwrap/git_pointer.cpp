// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_pointer.h"

#include <limits.h>

#include <algorithm>

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kGitfileWord = "gitdir: ";

bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7f;
}

}  // namespace

Result<std::string> parse_path_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  const auto fault = [](std::string message) { return make_error(ErrorKind::policy, std::move(message)); };
  if (text.empty()) return fault("it holds no path");
  if (text.size() >= PATH_MAX) return fault("its path is too long");
  if (std::any_of(text.begin(), text.end(), is_control)) return fault("it holds more than one line of text");
  return std::string(text);
}

Result<std::string> parse_gitfile(std::string_view text) {
  if (!text.starts_with(kGitfileWord)) return make_error(ErrorKind::policy, "it does not begin with 'gitdir: '");
  return parse_path_line(text.substr(kGitfileWord.size()));
}

std::string path_from(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : join_path(directory, path);
}

}  // namespace agentctl::bwrap
