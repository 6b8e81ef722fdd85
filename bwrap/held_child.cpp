// SPDX-License-Identifier: Apache-2.0
#include "bwrap/held_child.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"

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

// Everything the child needs, made before the fork: between fork and exec only async-signal-safe calls are allowed.
struct Prepared {
  const ExecRequest* request;
  std::vector<char*> argv;
  std::vector<char*> envp;
  pid_t parent;
  int gate;
  int report;
};

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

void report(const Prepared& prepared, Step step) {
  const ReportEntry entry{step, errno};
  (void)!::write(prepared.report, &entry, sizeof entry);
}

[[noreturn]] void fail(const Prepared& prepared, Step step) {
  report(prepared, step);
  ::_exit(125);
}

void reset_signals() {
  struct sigaction action {};
  sigemptyset(&action.sa_mask);
  for (int signal = 1; signal < _NSIG; ++signal) {
    const bool ignored =
        signal == SIGHUP || signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGTSTP;
    action.sa_handler = ignored ? SIG_IGN : SIG_DFL;
    ::sigaction(signal, &action, nullptr);  // KILL and STOP refuse, which is fine
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void raise_oom_score() {
  const int fd = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  (void)!::write(fd, "300", 3);  // so that the kernel, under pressure, prefers the agent to its supervisor
  ::close(fd);
}

[[noreturn]] void run_child(const Prepared& prepared) {
  const ExecRequest& request = *prepared.request;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(prepared, Step::parent_death);
  if (::getppid() != prepared.parent) ::_exit(125);  // it died before the line above
  reset_signals();
  if (::setsid() < 0) fail(prepared, Step::session);
  if (request.controlling_terminal && ::ioctl(request.standard_input, TIOCSCTTY, 0) != 0)
    fail(prepared, Step::terminal);
  if (::dup2(request.standard_input, 0) < 0 || ::dup2(request.standard_output, 1) < 0 ||
      ::dup2(request.standard_error, 2) < 0) {
    fail(prepared, Step::standard_streams);
  }
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0) {
    // The quota of keys is the user's (keyrings(7)); the seccomp filter refuses keyctl in any case.
    if (errno != EDQUOT && errno != ENOSYS) fail(prepared, Step::keyring);
    report(prepared, Step::keyring);
  }
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) fail(prepared, Step::core_limit);
  raise_oom_score();

  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(prepared.gate, &byte, 1);
  } while (count < 0 && errno == EINTR);
  if (count != 1) ::_exit(125);

  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) fail(prepared, Step::descriptors);
  for (const int fd : request.kept_fds) {
    if (::fcntl(fd, F_SETFD, 0) != 0) fail(prepared, Step::descriptors);
  }
  ::execve(request.program.str().c_str(), prepared.argv.data(), prepared.envp.data());
  fail(prepared, Step::exec);
}

}  // namespace

Result<HeldChild> HeldChild::fork(const ExecRequest& request) {
  Pipe gate = AGENTCTL_TRY(make_pipe());
  Pipe report_pipe = AGENTCTL_TRY(make_pipe());
  const Prepared prepared{&request,   pointers(request.arguments), pointers(request.environment),
                          ::getpid(), gate.read_end.get(),         report_pipe.write_end.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    ::close(gate.write_end.get());  // or the child would hold its own gate open after the supervisor's death
    run_child(prepared);
  }
  Result<UniqueFd> pidfd = open_pidfd(pid);
  if (!pidfd) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    return std::move(pidfd).error();
  }
  return HeldChild(pid, std::move(*pidfd), std::move(gate.write_end), std::move(report_pipe.read_end));
}

HeldChild::~HeldChild() {
  if (pid_ <= 0) return;
  gate_.reset();
  ::kill(pid_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(pid_, nullptr, 0);
}

pid_t HeldChild::detach() { return std::exchange(pid_, 0); }

Result<void> HeldChild::release() {
  const bool was_there = ::write(gate_.get(), "g", 1) == 1;  // else its report says why not
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
  if (!was_there) return make_error(ErrorKind::system, "the held child ended before its release");
  return {};
}

}  // namespace agentctl::bwrap
