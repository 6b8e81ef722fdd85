// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "manager/exit_status.h"

namespace agentctl::manager::service {
namespace {

constexpr std::size_t kMostKept = 4U << 20;  // `start --json` names every hidden file
constexpr std::size_t kMostErrors = 64U << 10;
constexpr int kMostRounds = 8;
constexpr int kSignalBase = 128;

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void say_in_child(const char* text) { (void)!::write(STDERR_FILENO, text, std::strlen(text)); }

struct Child {
  const char* program;
  char** words;
  char** environment;
  const char* directory;
  const char* shown_directory;  // printable, in one line
  int input, output, errors;
};

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void run_child(const Child& child) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);  // the service's own is blocked for its signalfd
  ::signal(SIGPIPE, SIG_DFL);
  const bool has_streams = ::dup2(child.input, STDIN_FILENO) >= 0 && ::dup2(child.output, STDOUT_FILENO) >= 0 &&
                           ::dup2(child.errors, STDERR_FILENO) >= 0;
  if (!has_streams) ::_exit(kExitStartFailed);
  if (::chdir(child.directory) != 0) {
    say_in_child("agentctl: cannot enter the directory '");
    say_in_child(child.shown_directory);
    say_in_child("': ");
    say_in_child(errno == ENOENT    ? "No such file or directory\n"
                 : errno == ENOTDIR ? "Not a directory\n"
                                    : "it cannot be entered\n");
    ::_exit(kExitUsage);
  }
  ::execve(child.program, child.words, child.environment);
  say_in_child(errno == E2BIG ? "agentctl: the words of the command and the variables are too long together\n"
                              : "agentctl: cannot run this program again: it was removed\n");
  ::_exit(kExitStartFailed);
}

}  // namespace

Result<std::unique_ptr<VerbRun>> VerbRun::start(EventLoop& loop, const VerbCommand& command, Done done) {
  Pipe output = AGENTCTL_TRY(make_pipe());
  Pipe errors = AGENTCTL_TRY(make_pipe());
  const UniqueFd input = AGENTCTL_TRY(open_at(AT_FDCWD, "/dev/null", O_RDONLY));
  for (const int fd : {output.read_end.get(), errors.read_end.get()}) {
    if (::fcntl(fd, F_SETFL, O_NONBLOCK) != 0) return errno_error("cannot set up a pipe");
  }
  std::vector<std::string> words = {"agentctl"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  std::vector<std::string> environment = command.environment;
  std::vector<char*> word_pointers = pointers_to(words);
  std::vector<char*> environment_pointers = pointers_to(environment);
  const std::string shown_directory = printable(command.directory);
  const Child child{command.program.c_str(),   word_pointers.data(),    environment_pointers.data(),
                    command.directory.c_str(), shown_directory.c_str(), input.get(),
                    output.write_end.get(),    errors.write_end.get()};
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("cannot start a process");
  if (pid == 0) run_child(child);

  std::unique_ptr<VerbRun> run(new VerbRun(loop, std::move(done)));
  run->pid_ = pid;
  run->pidfd_ = AGENTCTL_TRY(open_pidfd(pid));
  run->output_ = std::move(output.read_end);
  run->errors_ = std::move(errors.read_end);
  run->watch_stream(run->output_, run->outcome_.output, false);
  run->watch_stream(run->errors_, run->outcome_.errors, true);
  loop.watch(run->pidfd_.get(), POLLIN, [self = run.get()](short) { self->on_exit(); });
  run->deadline_ = loop.after(command.deadline_usec, [self = run.get()] {
    self->deadline_.reset();
    self->outcome_.timed_out = true;
    (void)signal_pidfd(self->pidfd_.get(), SIGKILL);
  });
  return run;
}

VerbRun::~VerbRun() {
  if (deadline_) loop_.cancel(*deadline_);
  for (const UniqueFd* fd : {&pidfd_, &output_, &errors_}) {
    if (fd->valid()) loop_.forget(fd->get());
  }
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);  // ours and not reaped: no other process has its number
  ::waitpid(pid_, nullptr, 0);
}

void VerbRun::watch_stream(UniqueFd& stream, std::string& kept, bool keeps_end) {
  loop_.watch(stream.get(), POLLIN, [this, &stream, &kept, keeps_end](short) {
    if (drain(stream, kept, keeps_end)) return;
    loop_.forget(stream.get());
    stream.reset();
  });
}

// As much as a pipe holds, and no more: who writes without end must not keep us here. False at the end of the stream.
bool VerbRun::drain(UniqueFd& stream, std::string& kept, bool keeps_end) {
  if (!stream.valid()) return false;
  std::array<char, 16'384> buffer;
  for (int round = 0; round < kMostRounds; ++round) {
    const ssize_t count = ::read(stream.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    const std::string_view part(buffer.data(), static_cast<std::size_t>(count));
    if (keeps_end) {
      kept += part;
      if (kept.size() > kMostErrors) kept.erase(0, kept.size() - kMostErrors);
    } else {
      kept += part.substr(0, kMostKept - kept.size());
    }
  }
  return true;
}

// What a session inherits of the pipes may stay open longer than the verb lives: its end counts, not theirs.
void VerbRun::on_exit() {
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return;
  pid_ = 0;
  (void)drain(output_, outcome_.output, false);
  (void)drain(errors_, outcome_.errors, true);
  outcome_.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
  loop_.forget(pidfd_.get());
  const Done done = std::move(done_);
  const VerbOutcome outcome = std::move(outcome_);
  done(outcome);  // may destroy this
}

}  // namespace agentctl::manager::service
