// SPDX-License-Identifier: Apache-2.0
#include "manager/state_dirs.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

bool is_own_directory(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::string environment_path(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
}

// The login runtime directories that a session of this user may be recorded below, best first.
std::vector<std::string> login_runtime_dirs() {
  std::vector<std::string> dirs;
  for (const std::string& dir : {environment_path("XDG_RUNTIME_DIR"), cat("/run/user/", ::geteuid())}) {
    // Under sudo or su the variable may still be another user's.
    if (is_own_directory(dir) && std::find(dirs.begin(), dirs.end(), dir) == dirs.end()) dirs.push_back(dir);
  }
  return dirs;
}

std::string fallback_runtime_dir() {
  return ::geteuid() == 0 ? std::string("/run/agentctl") : cat("/tmp/agentctl-", ::geteuid());
}

// Never made by us, and never another user's: sudo may keep its caller's HOME.
Result<std::string> home_dir() {
  std::string home = environment_path("HOME");
  if (home.empty()) {
    const passwd* entry = ::getpwuid(::geteuid());
    if (entry != nullptr && entry->pw_dir != nullptr && entry->pw_dir[0] == '/') home = entry->pw_dir;
  }
  struct stat status {};
  if (home.empty() || ::stat(home.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return make_error(ErrorKind::environment, cat("cannot find your home directory '", printable(home), "'"),
                      "set HOME");
  }
  if (status.st_uid != ::geteuid()) {
    return make_error(ErrorKind::environment,
                      cat("cannot use the home directory '", printable(home), "': it belongs to uid ", status.st_uid),
                      "set HOME to your own (sudo -H does)");
  }
  return home;
}

// As much as a receipt may need, in a file without a name. Where the file system has no such files, the end will tell.
Result<void> prove_room(int dir) {
  constexpr std::size_t kReceiptBytes = 16384;
  const UniqueFd file(::openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid()) {
    const bool unsupported = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
    return unsupported ? Result<void>{} : errno_error("cannot make a file");
  }
  return write_all(file.get(), std::string(kReceiptBytes, '\0'));
}

}  // namespace

Result<RuntimeDir> open_runtime_dir() {
  const std::vector<std::string> logins = login_runtime_dirs();
  RuntimeDir dir;
  dir.is_fallback = logins.empty();
  dir.path = logins.empty() ? fallback_runtime_dir() : logins.front() + "/agentctl";
  dir.fd = AGENTCTL_TRY(with_context("cannot keep a record of the session", own_directory(dir.path)));
  return dir;
}

std::vector<std::string> existing_runtime_dirs() {
  std::vector<std::string> dirs;
  for (const std::string& login : login_runtime_dirs()) {
    if (is_own_directory(login + "/agentctl")) dirs.push_back(login + "/agentctl");
  }
  if (is_own_directory(fallback_runtime_dir())) dirs.push_back(fallback_runtime_dir());
  return dirs;
}

Result<std::string> state_dir_path() {
  const std::string given = environment_path("XDG_STATE_HOME");
  if (!given.empty()) return given + "/agentctl";
  return AGENTCTL_TRY(home_dir()) + "/.local/state/agentctl";
}

Result<std::string> config_dir_path() {
  const std::string given = environment_path("XDG_CONFIG_HOME");
  if (!given.empty()) return given + "/agentctl";
  return AGENTCTL_TRY(home_dir()) + "/.config/agentctl";
}

std::string existing_name(const std::string& directory) {
  char* resolved = ::realpath(directory.c_str(), nullptr);
  std::string path = resolved == nullptr ? directory : std::string(resolved);
  ::free(resolved);
  return path;
}

Result<UniqueFd> open_receipts_dir() {
  const std::string path = AGENTCTL_TRY(state_dir_path()) + "/receipts";
  UniqueFd dir = AGENTCTL_TRY(with_context("cannot keep receipts", own_directory(path)));
  if (::faccessat(dir.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    return errno_error(cat("cannot keep receipts: cannot write to '", path, "'"));
  }
  AGENTCTL_TRY_VOID(with_context(cat("cannot keep receipts in '", path, "'"), prove_room(dir.get())));
  return dir;
}

}  // namespace agentctl::manager
