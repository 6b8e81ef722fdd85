// SPDX-License-Identifier: Apache-2.0
#include "bwrap/caller.h"

#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kFlatpakMark = "/.flatpak-info";  // flatpak-metadata(5)

std::string value_of(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto entry = environment.find(name);
  return entry == environment.end() ? std::string() : entry->second;
}

bool is_same_directory(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

Result<std::string> working_directory(const std::map<std::string, std::string>& environment) {
  std::array<char, PATH_MAX> buffer{};
  if (::getcwd(buffer.data(), buffer.size()) == nullptr || buffer[0] != '/') {
    return make_error(ErrorKind::usage, "cannot use the current directory as the project: it is gone or out of reach",
                      "change to a directory that exists, or name one with -C");
  }
  const std::string physical = buffer.data();
  const std::string logical = value_of(environment, "PWD");
  const bool usable = logical.starts_with('/') && is_same_directory(logical, ".");
  return usable ? logical : physical;
}

bool has_parent_step(const std::string& path) {
  const std::vector<std::string> parts = split(path, '/');
  for (const std::string& part : parts) {
    if (part == "..") return true;
  }
  return false;
}

}  // namespace

std::map<std::string, std::string> read_environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.try_emplace(std::string(text.substr(0, equals)), text.substr(equals + 1));
  }
  return environment;
}

Account find_account(uid_t uid, const std::map<std::string, std::string>& environment) {
  Account account;
  account.user = value_of(environment, "USER");
  if (account.user.empty()) account.user = value_of(environment, "LOGNAME");
  account.home = value_of(environment, "HOME");
  if (!account.home.starts_with('/')) account.home.clear();
  if (!account.user.empty() && !account.home.empty()) return account;

  std::array<char, 16384> buffer{};
  struct passwd entry {};
  struct passwd* found = nullptr;
  ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  if (account.user.empty()) account.user = found != nullptr ? found->pw_name : cat(uid);
  if (account.home.empty() && found != nullptr) account.home = found->pw_dir;
  return account;
}

Result<void> check_caller_is_on_host() {
  if (::access(kFlatpakMark, F_OK) != 0) return {};
  return make_error(ErrorKind::environment,
                    "cannot make a sandbox from within a Flatpak: its programs are not those of the host",
                    "run it on the host: flatpak-spawn --host agentctl ..., or use a terminal that is no Flatpak");
}

Result<ProjectFact> find_project(const std::string& named, const std::map<std::string, std::string>& environment,
                                 PathResolver& resolver) {
  std::string path = named;
  if (!path.starts_with('/')) {
    const std::string directory = AGENTCTL_TRY(working_directory(environment));
    path = path.empty() ? directory : join_path(directory, path);
  }
  const PathFact fact = resolver.resolve(path);
  const std::string shown = printable(named.empty() ? path : named);
  if (fact.kind == PathKind::absent) {
    Error error = make_error(ErrorKind::usage, cat("cannot use '", shown, "' as the project: not found"));
    error.sys_errno = ENOENT;
    return error;
  }
  if (fact.kind != PathKind::directory) {
    Error error = make_error(ErrorKind::usage, cat("cannot use '", shown, "' as the project: not a directory"));
    error.sys_errno = ENOTDIR;
    return error;
  }
  // The name without ".." may lead elsewhere when a link stands before it; then there is no name to keep.
  ProjectFact project;
  project.canonical = fact.canonical;
  project.logical = has_parent_step(path) ? fact.canonical : fact.path;
  return project;
}

}  // namespace agentctl::bwrap
