// SPDX-License-Identifier: Apache-2.0
#include "bwrap/entering_child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/child_state.h"
#include "bwrap/landlock_scope.h"
#include "bwrap/seccomp_filter.h"

namespace agentctl::bwrap {
namespace {

constexpr int kDeadlineMsec = 10'000;

enum class Step : std::int32_t {
  entered,  // no failure: `value` is the process
  parent_death,
  hide,
  core_limit,
  namespaces,
  split,
  session,
  terminal,
  standard_streams,
  keyring,
  descriptors,
  directory,
  capabilities,
  scopes,
  filter,
  exec
};

struct ReportEntry {
  Step step;
  std::int32_t value;
};

const char* describe(Step step) {
  switch (step) {
    case Step::entered:
      return "entered";
    case Step::parent_death:
      return "cannot tie the program's life to its caller";
    case Step::hide:
      return "cannot hide from the sandbox";
    case Step::core_limit:
      return "cannot forbid core dumps";
    case Step::namespaces:
      return "cannot enter the sandbox";
    case Step::split:
      return "cannot make a process in the sandbox";
    case Step::session:
      return "cannot make a session of its own";
    case Step::terminal:
      return "cannot take the pty as controlling terminal";
    case Step::standard_streams:
      return "cannot set up the standard streams";
    case Step::keyring:
      return "cannot make a new session keyring";
    case Step::descriptors:
      return "cannot close inherited descriptors";
    case Step::directory:
      return "cannot go to the project";
    case Step::capabilities:
      return "cannot give up every capability";
    case Step::scopes:
      return "cannot close the host's abstract sockets by Landlock";
    case Step::filter:
      return "cannot install the seccomp filters";
    case Step::exec:
      return "cannot execute the program";
  }
  return "unknown step";
}

// What the child works with: nothing that allocates is left to do.
struct Work {
  const EntryRequest& request;
  std::vector<char*> argv;
  std::vector<char*> envp;
  pid_t parent;
  int gate;
  int report;
};

void report(const Work& work, Step step, int value) {
  const ReportEntry entry{step, value};
  (void)!::write(work.report, &entry, sizeof entry);
}

[[noreturn]] void fail(const Work& work, Step step) {
  report(work, step, errno);
  ::_exit(125);
}

bool drop_capabilities() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return false;
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) return false;
  }
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

bool install(std::string_view filter) {
  sock_fprog program{};
  program.len = static_cast<unsigned short>(filter.size() / sizeof(sock_filter));
  program.filter = const_cast<sock_filter*>(reinterpret_cast<const sock_filter*>(filter.data()));
  return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

// In the pid namespace; what was hidden from the inside stays so until exec.
[[noreturn]] void execute(const Work& work) {
  const EntryRequest& request = work.request;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(work, Step::parent_death);
  char byte = 0;  // the caller is outside of this pid namespace: its end of the gate says whether it lives
  if (::recv(work.gate, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) ::_exit(125);
  if (::setsid() < 0) fail(work, Step::session);
  if (request.controlling_terminal && ::ioctl(request.standard_input, TIOCSCTTY, 0) != 0) fail(work, Step::terminal);
  const int streams[] = {request.standard_input, request.standard_output, request.standard_error};
  for (int stream = 0; stream < 3; ++stream) {
    if (::dup2(streams[stream], stream) < 0) fail(work, Step::standard_streams);
  }
  if (::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 && errno != EDQUOT && errno != ENOSYS) {
    fail(work, Step::keyring);
  }
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) fail(work, Step::descriptors);
  if (::chdir(request.directory.c_str()) != 0) fail(work, Step::directory);
  if (!drop_capabilities()) fail(work, Step::capabilities);
  // Not signals: to the rest of the session it counts as outside, which it may have been started to end.
  if (request.closes_scopes && !close_landlock_scopes(kScopeAbstractSockets)) fail(work, Step::scopes);
  reset_signals(false);
  if (!install(guard_filter()) || !install(request.nested ? nested_deny_filter() : deny_filter())) {
    fail(work, Step::filter);
  }
  if (request.program_file >= 0)
    ::syscall(SYS_execveat, request.program_file, "", work.argv.data(), work.envp.data(), AT_EMPTY_PATH);
  else
    ::execve(request.program.c_str(), work.argv.data(), work.envp.data());
  fail(work, Step::exec);
}

[[noreturn]] void run_child(const Work& work) {
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(work, Step::parent_death);
  if (::getppid() != work.parent) ::_exit(125);
  raise_oom_score();
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail(work, Step::hide);
  const rlimit no_core{0, 0};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0) fail(work, Step::core_limit);
  char byte = 0;
  if (::recv(work.gate, &byte, 1, 0) != 1) ::_exit(0);  // it is not needed
  if (::setns(work.request.leader_pidfd, work.request.namespaces) != 0) fail(work, Step::namespaces);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) fail(work, Step::hide);
  const long inside = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (inside < 0) fail(work, Step::split);
  if (inside == 0) execute(work);
  report(work, Step::entered, static_cast<int>(inside));
  ::_exit(0);
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Result<EnteringChild> EnteringChild::fork(const EntryRequest& request) {
  int gate[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, gate) != 0) {
    return errno_error("cannot make a socket pair");
  }
  UniqueFd ours(gate[0]);
  const UniqueFd theirs(gate[1]);
  Pipe report_pipe = AGENTCTL_TRY(make_pipe());
  const Work work{request,      pointers_to(request.arguments), pointers_to(request.environment), ::getpid(),
                  theirs.get(), report_pipe.write_end.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) {
    ours.reset();  // or the end of the caller would not be seen
    run_child(work);
  }
  return EnteringChild(pid, std::move(ours), std::move(report_pipe.read_end));
}

EnteringChild::~EnteringChild() {
  if (held_ <= 0) return;
  gate_.reset();
  ::kill(held_, SIGKILL);  // ours and not reaped, so the number cannot be another's
  ::waitpid(held_, nullptr, 0);
}

Result<pid_t> EnteringChild::enter() {
  const char go = 'g';
  if (::send(gate_.get(), &go, 1, MSG_NOSIGNAL) != 1) return errno_error(describe(Step::namespaces));
  pid_t inside = 0;
  ReportEntry failed{Step::entered, 0};
  ReportEntry entry{};
  bool is_late = false;
  while (true) {
    // The session can stop what is in its process namespace, also before it executes.
    pollfd readable{report_.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, kDeadlineMsec);
    if (ready < 0 && errno == EINTR) continue;
    is_late = ready == 0;
    if (is_late) break;
    const ssize_t count = ::read(report_.get(), &entry, sizeof entry);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof entry) break;
    if (entry.step == Step::entered) {
      inside = entry.value;
    } else {
      failed = entry;
    }
  }
  if (is_late) {
    ::kill(held_, SIGKILL);  // both ours and not reaped
    if (inside > 0) ::kill(inside, SIGKILL);
  }
  ::waitpid(std::exchange(held_, 0), nullptr, 0);
  if (failed.step == Step::entered && inside > 0 && !is_late) return inside;
  if (inside > 0) ::waitpid(inside, nullptr, 0);
  if (is_late) return errno_error(ETIMEDOUT, "the program was held up in the sandbox before it began");
  if (failed.step == Step::entered) return make_error(ErrorKind::system, "the session ended meanwhile");
  Error error = errno_error(failed.value, describe(failed.step));
  if (failed.step == Step::exec) error.kind = ErrorKind::policy;
  return error;
}

}  // namespace agentctl::bwrap
