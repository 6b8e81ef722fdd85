// SPDX-License-Identifier: Apache-2.0
#include "manager/entered_program.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/process.h"
#include "manager/exit_status.h"
#include "manager/supervisor.h"

namespace agentctl::manager {
namespace {

// How long after a key was typed the program is looked at: long enough for it to have stopped itself.
constexpr std::uint64_t kStopCheckUsec = 100'000;

}  // namespace

Result<int> EnteredProgram::watch(pid_t process, Streams& streams) {
  auto pidfd = open_pidfd(process);
  if (!pidfd) {
    ::kill(process, SIGKILL);  // ours and not reaped, so the number cannot be another's
    ::waitpid(process, nullptr, 0);
    return std::move(pidfd).error();
  }
  return EnteredProgram(process, std::move(*pidfd), streams).run();
}

Result<int> EnteredProgram::run() {
  AGENTCTL_TRY_VOID(loop_.watch_signals(
      kSupervisorSignals, [this](const signalfd_siginfo& info) { on_signal(static_cast<int>(info.ssi_signo)); }));
  loop_.watch(pidfd_.get(), POLLIN, [this](short) { ended_ = true; });
  streams_.connect(loop_, {}, [this] { check_stopped_soon(); });
  const auto ran = loop_.run_until([this] { return ended_; });
  if (!ran) ::kill(process_, SIGKILL);
  int status = 0;
  ::waitpid(process_, &status, 0);
  streams_.finish({});
  AGENTCTL_TRY_VOID(ran);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitSignalBase + WTERMSIG(status);
}

void EnteredProgram::on_signal(int signal) {
  switch (signal) {
    case SIGWINCH:
      return streams_.copy_window_size();
    case SIGCONT:
      streams_.enter_raw();
      streams_.copy_window_size();
      return;
    case SIGTSTP:
      return suspend();
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
      ::kill(-process_, asked_to_end_ ? SIGKILL : signal);  // it leads a process group of its own
      ::kill(-process_, SIGCONT);
      asked_to_end_ = true;
      return;
    default:
      return;
  }
}

void EnteredProgram::check_stopped_soon() {
  if (!streams_.caller_types() || stop_timer_) return;
  stop_timer_ = loop_.after(kStopCheckUsec, [this] {
    stop_timer_.reset();
    const auto stat = read_process_stat(process_);
    if (stat && stat->state == 'T') suspend();
  });
}

// As a shell's job: the caller gets its terminal back until it continues us.
void EnteredProgram::suspend() {
  ::kill(-process_, SIGTSTP);
  streams_.leave_raw();
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  ::raise(SIGTSTP);
  ::sigprocmask(SIG_UNBLOCK, &stop, nullptr);
  ::sigprocmask(SIG_BLOCK, &stop, nullptr);
  streams_.enter_raw();
  streams_.copy_window_size();
  ::kill(-process_, SIGCONT);
}

}  // namespace agentctl::manager
