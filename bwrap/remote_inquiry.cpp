// SPDX-License-Identifier: Apache-2.0
#include "bwrap/remote_inquiry.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/parent_death.h"
#include "base/process.h"

namespace agentctl::bwrap {
namespace {

constexpr int kMsecToDie = 20;

[[noreturn]] void ask(const std::string& path, RemoteInquiry::Way way, pid_t parent) {
  die_with(parent);
  ::syscall(SYS_close_range, 3, ~0U, 0);  // what we hold open, somebody waits to see closed
  if (way == RemoteInquiry::Way::entry) {
    (void)::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  } else {
    struct statx status {};
    constexpr int kFlags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_FORCE_SYNC;
    (void)::statx(AT_FDCWD, path.c_str(), kFlags, STATX_BASIC_STATS, &status);
  }
  ::_exit(0);
}

bool wait_for_end(const UniqueFd& pidfd, int msec) {
  pollfd ended{pidfd.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ended, 1, msec);
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

}  // namespace

RemoteInquiry::RemoteInquiry(const std::string& path, Way way) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) ask(path, way, parent);
  if (pid < 0) return;
  pid_ = pid;
  if (auto pidfd = open_pidfd(pid)) pidfd_ = std::move(*pidfd);
}

RemoteInquiry::RemoteInquiry(RemoteInquiry&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), pidfd_(std::move(other.pidfd_)), answered_(other.answered_) {}

bool RemoteInquiry::is_answered(std::uint64_t deadline_usec) {
  if (pid_ == 0 || !pidfd_.valid()) return answered_;
  const std::uint64_t now = monotonic_usec();
  const auto msec = now >= deadline_usec ? 0 : static_cast<int>((deadline_usec - now + 999) / 1000);
  if (!wait_for_end(pidfd_, msec)) return false;
  answered_ = true;
  ::waitpid(std::exchange(pid_, 0), nullptr, 0);
  return true;
}

RemoteInquiry::~RemoteInquiry() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  if (pidfd_.valid()) (void)wait_for_end(pidfd_, kMsecToDie);
  ::waitpid(pid_, nullptr, WNOHANG);
}

}  // namespace agentctl::bwrap
