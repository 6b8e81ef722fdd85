// SPDX-License-Identifier: Apache-2.0
#include "manager/door_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/text.h"
#include "manager/session_log.h"

namespace agentctl::manager {
namespace {

constexpr const char* kName = "net";
constexpr int kFlags = O_RDWR;  // not O_APPEND: the door keeps it short, and writes where it says

}  // namespace

std::string door_log_path(const std::string& state_dir, const std::string& session_id) {
  return cat(log_directory(state_dir, session_id), "/", kName);
}

Result<DoorLog> DoorLog::create(const std::string& state_dir, const std::string& session_id) {
  const UniqueFd logs = AGENTCTL_TRY(own_directory(state_dir + "/logs"));
  std::string directory = log_directory(state_dir, session_id);
  UniqueFd unnamed(::openat(logs.get(), ".", kFlags | O_TMPFILE | O_CLOEXEC, 0600));
  if (unnamed.valid()) return DoorLog(std::move(directory), std::move(unnamed));
  const bool is_unsupported = errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL;
  if (!is_unsupported) return errno_error(cat("cannot make a file in '", state_dir, "/logs'"));
  const UniqueFd own = AGENTCTL_TRY(own_directory(directory));
  UniqueFd named = AGENTCTL_TRY(open_at(own.get(), kName, kFlags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  DoorLog log(std::move(directory), std::move(named));
  log.is_to_be_removed_ = true;
  return log;
}

DoorLog::~DoorLog() {
  if (!is_to_be_removed_) return;
  ::unlink(cat(directory_, "/", kName).c_str());
  ::rmdir(directory_.c_str());
}

Result<UniqueFd> DoorLog::copy() const {
  constexpr int kAboveStandardStreams = 3;
  UniqueFd copy(::fcntl(file_.get(), F_DUPFD_CLOEXEC, kAboveStandardStreams));
  if (!copy.valid()) return errno_error("cannot pass the log on");
  return copy;
}

Result<void> DoorLog::keep() {
  if (std::exchange(is_to_be_removed_, false)) return {};
  const UniqueFd directory = AGENTCTL_TRY(own_directory(directory_));
  // By its name in /proc no privilege is needed (open(2), O_TMPFILE).
  const std::string held = cat("/proc/self/fd/", file_.get());
  if (::linkat(AT_FDCWD, held.c_str(), directory.get(), kName, AT_SYMLINK_FOLLOW) != 0) {
    return errno_error(cat("cannot name the file '", directory_, "/", kName, "'"));
  }
  return {};
}

}  // namespace agentctl::manager
