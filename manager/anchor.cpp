// SPDX-License-Identifier: Apache-2.0
#include "manager/anchor.h"

#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace agentctl::manager {

Result<Anchor> Anchor::fork() {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) ::_exit(125);
    ::setsid();
    ::syscall(SYS_close_range, 0U, ~0U, 0);  // it must not hold a terminal, a pipe or a lock of anybody open
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    while (true) ::pause();
  }
  return Anchor(pid);
}

void Anchor::drop() {
  const pid_t pid = std::exchange(pid_, 0);
  if (pid <= 0) return;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

}  // namespace agentctl::manager
