// SPDX-License-Identifier: Apache-2.0
#include "manager/remote/ssh_client.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/event_loop.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/exit_status.h"

namespace agentctl::manager {
namespace {

// In the child. SIGTERM and not SIGKILL at our death: ssh must restore the terminal.
[[noreturn]] void execute(std::vector<char*>& argv, pid_t parent, const sigset_t& mask, int failure) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
  ::sigprocmask(SIG_SETMASK, &mask, nullptr);
  ::execvp(argv[0], argv.data());
  const int cause = errno;
  while (::write(failure, &cause, sizeof cause) < 0 && errno == EINTR) {
  }
  ::_exit(kExitNotFound);
}

Result<void> await_execution(int failure) {
  int cause = 0;
  ssize_t size = 0;
  while ((size = ::read(failure, &cause, sizeof cause)) < 0 && errno == EINTR) {
  }
  if (size == 0) return {};  // closed by the exec
  if (cause == ENOENT)
    return make_error(ErrorKind::environment, "ssh not found", "install OpenSSH's client (Debian: openssh-client)");
  errno = cause;
  return errno_error("cannot run ssh");
}

class Ssh {
 public:
  explicit Ssh(pid_t pid) : pid_(pid) {}

  // Keys reach ssh without us, being of the same process group; what a process sent to us alone it gets from us.
  void on_signal(const signalfd_siginfo& info) {
    const int number = static_cast<int>(info.ssi_signo);
    if (number == SIGCHLD) return look();
    end_.asked_by = number;
    const bool is_key = (number == SIGINT || number == SIGQUIT) && info.ssi_code == SI_KERNEL;
    if (!is_key && !has_ended_) ::kill(pid_, number);
  }

  // Also finds it stopped: by its own ~^Z, of which our shell learns only by our stopping too.
  void look() {
    int status = 0;
    while (!has_ended_) {
      const pid_t changed = ::waitpid(pid_, &status, WNOHANG | WUNTRACED);
      if (changed < 0 && errno == EINTR) continue;
      if (changed != pid_) return;
      if (WIFSTOPPED(status)) {
        if (WSTOPSIG(status) != SIGTSTP) continue;
        ::raise(SIGSTOP);
        ::kill(pid_, SIGCONT);
        continue;
      }
      has_ended_ = true;
      if (WIFSIGNALED(status)) end_.killed_by = WTERMSIG(status);
      if (WIFEXITED(status)) end_.status = WEXITSTATUS(status);
    }
  }

  [[nodiscard]] bool has_ended() const { return has_ended_; }
  [[nodiscard]] const SshEnd& end() const { return end_; }

 private:
  pid_t pid_;
  bool has_ended_ = false;
  SshEnd end_;
};

}  // namespace

Result<SshEnd> run_ssh(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  Pipe failure = AGENTCTL_TRY(make_pipe());
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  ::signal(SIGCHLD, SIG_DFL);  // ignored, as some callers leave it, ends of children are not told

  EventLoop loop;
  std::optional<Ssh> ssh;
  AGENTCTL_TRY_VOID(loop.watch_signals({SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP},
                                       [&](const signalfd_siginfo& info) { ssh->on_signal(info); }));
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot fork");
  if (pid == 0) execute(argv, self, mask, failure.write_end.get());
  failure.write_end.reset();
  ssh.emplace(pid);
  const auto executed = await_execution(failure.read_end.get());
  ssh->look();
  AGENTCTL_TRY_VOID(loop.run_until([&] { return ssh->has_ended(); }));
  if (!executed) return executed.error();
  return ssh->end();
}

}  // namespace agentctl::manager
