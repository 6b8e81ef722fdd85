// SPDX-License-Identifier: Apache-2.0
#include "policy/entry.h"

#include "base/text.h"
#include "policy/env_name.h"
#include "policy/glob.h"

namespace agentctl::policy {
namespace {

constexpr std::size_t kLongestPath = 4095;  // PATH_MAX less its NUL

Error refuse(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

}  // namespace

std::string_view without_mark(std::string_view entry) {
  if (is_removal(entry)) entry.remove_prefix(1);
  return entry;
}

std::string normal_path(std::string_view path) {
  std::string out;
  if (path == "$HOME" || path.starts_with("$HOME/")) {
    out = "~";
    path.remove_prefix(5);
  }
  if (out.empty() && path.starts_with('/')) out = "/";
  for_each_part(path, '/', [&](std::string_view part) {
    if (part.empty() || part == ".") return;
    if (!out.empty() && out.back() != '/') out += '/';
    out += part;
  });
  return out.empty() ? "." : out;
}

Result<void> check_path_entry(std::string_view entry, Globs globs) {
  const std::string_view path = without_mark(entry);
  if (path.empty()) return refuse("must not be empty");
  if (path.size() > kLongestPath) return refuse("must not be longer than 4095 bytes");
  if (path.find('\0') != std::string_view::npos) return refuse("must not hold a NUL character");
  if (path[0] == '~' && path.size() > 1 && path[1] != '/') {
    return refuse("must be '~/…' or a full path: the home of another user is not looked up");
  }
  const bool is_home = path == "$HOME" || path.starts_with("$HOME/");
  if (path[0] == '$' && !is_home) {
    return refuse("must not start with a variable: only '~' and '$HOME' are replaced");
  }
  if (globs == Globs::refused && path.find_first_of("*?") != std::string_view::npos) {
    return refuse("must not hold '*' or '?': patterns work in 'hide' and 'protect' alone");
  }
  if (globs == Globs::allowed && has_open_set(path)) {
    return refuse("must close its '[' with a ']'; a bracket that is part of a name is '\\['");
  }
  return {};
}

Result<void> check_pass_entry(std::string_view entry) {
  std::string_view name = without_mark(entry);
  const bool is_prefix = name.ends_with('*');
  if (is_prefix) name.remove_suffix(1);
  if (is_prefix && name.empty())
    return refuse("must not pass every variable: name them, or a common beginning as in 'LC_*'");
  if (!is_env_name(name)) return refuse("must be the name of a variable, or a beginning and '*'");
  if (!is_removal(entry) && is_loader_variable(name)) {
    return refuse("must not reach the session: the dynamic linker would act on it outside of the sandbox");
  }
  if (!is_removal(entry) && is_prefix && needs_full_name(name)) {
    return refuse("must be named one by one: a pattern carries no secrets, sockets or code");
  }
  return {};
}

Result<void> check_env_value(std::string_view name, std::string_view value) {
  if (!is_env_name(name)) return refuse("must be the name of a variable");
  if (is_loader_variable(name)) {
    return refuse("must not reach the session: the dynamic linker would act on it outside of the sandbox");
  }
  if (value.find('\0') != std::string_view::npos) return refuse("must not hold a NUL character");
  return {};
}

}  // namespace agentctl::policy
