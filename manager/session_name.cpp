// SPDX-License-Identifier: Apache-2.0
#include "manager/session_name.h"

#include <sys/random.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace agentctl::manager {
namespace {

constexpr std::size_t kMaxName = 64;
constexpr std::string_view kNameCharacters = "abcdefghijklmnopqrstuvwxyz0123456789._-";

std::string slug(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  std::string out;
  for (char character : path) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    const bool allowed = kNameCharacters.find(character) != std::string_view::npos;
    if (!allowed || character == '-') {
      if (!out.empty() && out.back() != '-') out += '-';
    } else if (!out.empty() || (character != '.' && character != '_')) {
      out += character;
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "x" : out.substr(0, kMaxName / 2 - 4);
}

bool is_taken(std::string_view name, const std::vector<std::string>& taken) {
  return std::find(taken.begin(), taken.end(), name) != taken.end();
}

}  // namespace

Result<std::string> make_session_id() {
  std::uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return errno_error("cannot get a random number");
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string id;
  for (int shift = 28; shift >= 0; shift -= 4) id += kHex[(number >> shift) & 0xfU];
  return id;
}

std::string make_session_name(std::string_view command, std::string_view project,
                              const std::vector<std::string>& taken) {
  const std::string stem = cat(slug(command), "-", slug(project));
  std::string name = stem;
  for (int count = 2; is_taken(name, taken); ++count) name = cat(stem, "-", count);
  return name;
}

bool is_session_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxName &&
         name.find_first_not_of(kNameCharacters) == std::string_view::npos && name[0] != '-' && name[0] != '.' &&
         name[0] != '_';
}

Result<void> check_session_name(std::string_view name, const std::vector<std::string>& taken) {
  if (!is_session_name(name)) {
    return make_error(ErrorKind::usage, cat("the name '", printable(name),
                                            "' must be 1 to 64 of a-z 0-9 . _ - and begin with a letter or digit"));
  }
  if (is_taken(name, taken)) {
    return make_error(ErrorKind::usage, cat("a session named '", name, "' is running already"),
                      cat("choose another --name, or end it with 'agentctl stop ", name, "'"));
  }
  return {};
}

}  // namespace agentctl::manager
