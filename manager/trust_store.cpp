// SPDX-License-Identifier: Apache-2.0
#include "manager/trust_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

constexpr const char* kName = "trust.toml";

Error unusable(const std::string& path, std::string_view why, std::string hint) {
  return make_error(ErrorKind::policy, cat("cannot use the list of trust '", printable(path), "': ", why),
                    std::move(hint));
}

Result<policy::TrustList> load_at(int directory, const std::string& path) {
  const UniqueFd fd(::openat(directory, kName, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
  if (!fd.valid()) {
    if (errno == ENOENT) return policy::TrustList{};
    return errno_error(cat("cannot read the list of trust '", printable(path), "'"));
  }
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(cat("cannot read the status of '", printable(path), "'"));
  if (!S_ISREG(status.st_mode)) return unusable(path, "it is no file", {});
  if (status.st_uid != ::geteuid()) return unusable(path, cat("it belongs to uid ", status.st_uid), {});
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return unusable(path, "others may write it", "look at it, then chmod 600 " + shell_quote(path));
  }
  const std::string text = AGENTCTL_TRY(read_file_at(directory, kName));
  return policy::parse_trust_list(text, path);
}

std::string path_of(const std::string& config_dir) { return cat(config_dir, "/", kName); }

bool is_inside_a_session() { return ::getenv("AGENTCTL") != nullptr || ::access(bwrap::kStagePath, F_OK) == 0; }

}  // namespace

Result<policy::TrustList> load_trust(const std::string& config_dir) {
  const UniqueFd directory(::open(config_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) return policy::TrustList{};
  return load_at(directory.get(), path_of(config_dir));
}

Result<void> change_trust(const std::string& config_dir,
                          const std::function<Result<void>(policy::TrustList&)>& change) {
  if (is_inside_a_session()) {
    return make_error(ErrorKind::policy, "cannot change what is trusted from inside a session",
                      "run this outside of the sandbox (without AGENTCTL in the environment)");
  }
  const std::string path = path_of(config_dir);
  const UniqueFd directory =
      AGENTCTL_TRY(with_context("cannot keep the list of trust", own_directory(existing_name(config_dir))));
  if (::flock(directory.get(), LOCK_EX) != 0) return errno_error(cat("cannot lock '", printable(config_dir), "'"));
  policy::TrustList list = AGENTCTL_TRY(load_at(directory.get(), path));
  AGENTCTL_TRY_VOID(change(list));
  return replace_file_at(directory.get(), kName, policy::render_trust_list(list), 0600);
}

}  // namespace agentctl::manager
