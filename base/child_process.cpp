// SPDX-License-Identifier: Apache-2.0
#include "base/child_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/parent_death.h"
#include "base/process.h"

namespace agentctl {

Result<ChildProcess> ChildProcess::fork(const std::function<void()>& run, DiesWithParent when) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    if (when == DiesWithParent::at_once) die_with(parent);
    run();
    ::_exit(0);
  }
  ChildProcess child(pid);
  child.pidfd_ = AGENTCTL_TRY(open_pidfd(pid));
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), pidfd_(std::move(other.pidfd_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  kill();
  wait();
  pid_ = std::exchange(other.pid_, 0);
  pidfd_ = std::move(other.pidfd_);
  return *this;
}

ChildProcess::~ChildProcess() {
  kill();
  wait();
}

void ChildProcess::kill() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

int ChildProcess::wait() {
  int status = 0;
  if (pid_ <= 0) return status;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  return status;
}

}  // namespace agentctl
