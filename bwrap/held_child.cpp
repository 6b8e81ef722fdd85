// SPDX-License-Identifier: Apache-2.0
#include "bwrap/held_child.h"

#include <fcntl.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "bwrap/child_state.h"
#include "bwrap/exec_message.h"

namespace agentctl::bwrap {
namespace {

enum class Step : std::int32_t {
  parent_death,
  session,
  terminal,
  standard_streams,
  keyring,
  core_limit,
  descriptors,
  exec
};

struct ReportEntry {
  Step step;
  std::int32_t error;
};

const char* describe(Step step) {
  switch (step) {
    case Step::parent_death:
      return "cannot tie the child's life to its supervisor";
    case Step::session:
      return "cannot make a session of its own";
    case Step::terminal:
      return "cannot take the pty as controlling terminal";
    case Step::standard_streams:
      return "cannot set up the standard streams";
    case Step::keyring:
      return "cannot make a new session keyring";
    case Step::core_limit:
      return "cannot forbid core dumps";
    case Step::descriptors:
      return "cannot close inherited descriptors";
    case Step::exec:
      return "cannot execute bwrap";
  }
  return "unknown step";
}

struct Ends {
  pid_t parent;
  int gate;
  int report;
};

void report(const Ends& ends, Step step) {
  const ReportEntry entry{step, errno};
  (void)!::write(ends.report, &entry, sizeof entry);
}

[[noreturn]] void fail(const Ends& ends, Step step) {
  report(ends, step);
  ::_exit(125);
}

// Between fork and exec only async-signal-safe calls are allowed.
void prepare_child(const Ends& ends) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(ends, Step::parent_death);
  if (::getppid() != ends.parent) ::_exit(125);  // it died before the line above
  reset_signals(true);
  if (::setsid() < 0) fail(ends, Step::session);
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0) {
    // The quota of keys is the user's (keyrings(7)); the seccomp filter refuses keyctl in any case.
    if (errno != EDQUOT && errno != ENOSYS) fail(ends, Step::keyring);
    report(ends, Step::keyring);
  }
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) fail(ends, Step::core_limit);
  raise_oom_score();
}

[[noreturn]] void execute(const Ends& ends, const ReceivedExec& exec) {
  if (exec.controlling_terminal && ::ioctl(exec.standard[0], TIOCSCTTY, 0) != 0) fail(ends, Step::terminal);
  for (int stream = 0; stream < 3; ++stream) {
    if (::dup2(exec.standard[stream], stream) < 0) fail(ends, Step::standard_streams);
  }
  for (int index = 0; index < exec.kept_count; ++index) {
    if (::dup2(exec.kept[index], kFirstKeptFd + index) < 0) fail(ends, Step::descriptors);
  }
  ::execve(exec.program, exec.argv, exec.envp);
  fail(ends, Step::exec);
}

bool close_between(int below, int above) {
  if (below + 1 >= above) return true;
  return ::syscall(SYS_close_range, static_cast<unsigned>(below + 1), static_cast<unsigned>(above - 1), 0) == 0;
}

// Whatever the caller had open. What arrives with the request is close-on-exec, has low numbers, and is duplicated to
// the numbers it is promised under.
void close_inherited(const Ends& ends) {
  const int low = std::min(ends.gate, ends.report);
  const int high = std::max(ends.gate, ends.report);
  if (!close_between(2, low) || !close_between(low, high) || !close_between(high, INT_MAX))
    fail(ends, Step::descriptors);
}

[[noreturn]] void run_child(const Ends& ends) {
  prepare_child(ends);
  close_inherited(ends);
  ReceivedExec exec{};
  if (!receive_exec_message(ends.gate, exec)) ::_exit(125);
  execute(ends, exec);
}

}  // namespace

Result<HeldChild> HeldChild::fork() {
  int gate[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate) != 0)
    return errno_error("cannot make a socket pair");
  UniqueFd ours(gate[0]);
  const UniqueFd theirs(gate[1]);
  Pipe report_pipe = AGENTCTL_TRY(make_pipe());
  const Ends ends{::getpid(), theirs.get(), report_pipe.write_end.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) run_child(ends);
  Result<UniqueFd> pidfd = open_pidfd(pid);
  if (!pidfd) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return std::move(pidfd).error();
  }
  return HeldChild(pid, std::move(*pidfd), std::move(ours), std::move(report_pipe.read_end));
}

HeldChild::~HeldChild() {
  if (pid_ <= 0) return;
  gate_.reset();
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(pid_, nullptr, 0);
}

pid_t HeldChild::detach() { return std::exchange(pid_, 0); }

Result<void> HeldChild::release(const ExecRequest& request) {
  const auto sent = send_exec_message(gate_.get(), request);
  if (!sent && sent.error().kind == ErrorKind::policy) return sent;
  gate_.reset();
  ReportEntry entry{};
  while (true) {
    const ssize_t count = ::read(report_.get(), &entry, sizeof entry);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof entry) break;  // end of file: the exec has happened
    if (entry.step != Step::keyring) return errno_error(entry.error, describe(entry.step));
    warnings_.push_back(errno_error(entry.error, describe(entry.step)).message);
  }
  report_.reset();
  if (!sent) return sent;  // it had ended, without a reason to report
  return {};
}

}  // namespace agentctl::bwrap
