// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "policy/autostart.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

constexpr std::size_t kLargestFile = 1U << 18;

Error refuse(const std::string& path, std::string_view why) {
  return make_error(ErrorKind::policy, cat("cannot read the policy '", printable(path), "': ", why));
}

Error refuse_errno(const std::string& path) {
  Error error = errno_error(cat("cannot read the policy '", printable(path), "'"));
  error.kind = ErrorKind::policy;
  return error;
}

std::string_view describe(mode_t mode) {
  if (S_ISDIR(mode)) return "it is a directory, not a file";
  if (S_ISFIFO(mode)) return "it is a pipe, not a file";
  if (S_ISSOCK(mode)) return "it is a socket, not a file";
  return "it is a device, not a file";
}

}  // namespace

Result<std::optional<std::string>> read_policy_text(int dir, const std::string& name, const std::string& path,
                                                    PolicyLinks links) {
  // O_NONBLOCK: a pipe without a writer must not hold us.
  const int no_link = links == PolicyLinks::refused ? O_NOFOLLOW : 0;
  const UniqueFd fd(::openat(dir, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | no_link));
  struct stat status {};
  if (!fd.valid()) {
    if (errno == ENXIO) return refuse(path, "it is a socket or a device, not a file");
    if (errno == ELOOP && links == PolicyLinks::refused)
      return refuse(path, "it is a link, which a project's must not be");
    if (errno != ENOENT && errno != ENOTDIR) return refuse_errno(path);
    if (::fstatat(dir, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
      return refuse(path, "it is a link to a file that is not there");
    }
    return std::optional<std::string>();
  }
  if (::fstat(fd.get(), &status) != 0) return refuse_errno(path);
  if (!S_ISREG(status.st_mode)) return refuse(path, describe(status.st_mode));
  std::string text;
  char block[4096];
  while (true) {
    const ssize_t count = ::read(fd.get(), block, sizeof block);
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse_errno(path);
    text.append(block, static_cast<std::size_t>(count));
    if (text.size() > kLargestFile) return refuse(path, "it is larger than 256 KiB");
  }
  return std::optional<std::string>(std::move(text));
}

Result<Policy> load_policy_text(std::string_view text, const std::string& path, AutostartTables autostart) {
  ReadOutcome outcome = read_policy(text, path);
  if (autostart == AutostartTables::refused) refuse_autostart(outcome);
  AGENTCTL_TRY_VOID(to_result(outcome.mistakes));
  return std::move(outcome.policy);
}

Result<Policy> load_policy_file(const std::string& path, AutostartTables autostart) {
  const auto text = AGENTCTL_TRY(read_policy_text(AT_FDCWD, path, path, PolicyLinks::followed));
  return text ? load_policy_text(*text, path, autostart) : Policy{};
}

Result<std::vector<Autostart>> load_autostart(const std::string& path) {
  const auto text = AGENTCTL_TRY(read_policy_text(AT_FDCWD, path, path, PolicyLinks::followed));
  if (!text) return std::vector<Autostart>{};
  ReadOutcome outcome = read_policy(*text, path);
  AGENTCTL_TRY_VOID(to_result(outcome.mistakes));
  return std::move(outcome.autostart);
}

}  // namespace agentctl::policy
