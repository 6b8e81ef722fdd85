// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/terminal_window.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <optional>

#include "base/event_loop.h"
#include "base/process.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/launcher/program_run.h"
#include "manager/launcher/window_program.h"
#include "manager/own_program.h"

namespace agentctl::launcher {
namespace {

constexpr std::size_t kComplaintBytes = 4096;
constexpr const char* kHint = "set TERMINAL to another terminal emulator";

// What an emulator writes to its standard streams goes here as long as there is room. No pipe: when we are gone, its
// next warning would kill it, and the window with it.
Result<UniqueFd> make_complaint_file() {
  UniqueFd file(::memfd_create("terminal", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.valid() || ::ftruncate(file.get(), kComplaintBytes) != 0 ||
      ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return errno_error("cannot make a memory file");
  }
  return file;
}

std::string read_complaint(int file) {
  std::string text(kComplaintBytes, '\0');
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text.substr(0, text.find('\0'));
}

class OpeningWindow {
 public:
  OpeningWindow(const std::string& program, std::uint64_t deadline_usec)
      : program_(printable(program)), deadline_usec_(deadline_usec) {}

  Result<void> open(const std::vector<std::string>& command) {
    // Before anybody could send it.
    AGENTCTL_TRY_VOID(loop_.watch_signals({SIGUSR1}, [this](const signalfd_siginfo& info) {
      if (info.ssi_uid == ::geteuid()) is_open_ = true;
    }));
    complaint_ = AGENTCTL_TRY(make_complaint_file());
    SpawnRequest request;
    request.argv = command;
    request.standard_output = complaint_.get();  // ours may be a pipe whose end somebody waits for
    request.standard_error = complaint_.get();
    request.own_session = true;
    auto spawned = spawn(request);
    if (!spawned) {
      spawned.error().kind = ErrorKind::environment;
      spawned.error().prepend("cannot open a window");
      return std::move(spawned).error().with_hint(kHint);
    }
    pid_ = *spawned;
    pidfd_ = AGENTCTL_TRY(open_pidfd(pid_));
    loop_.watch(pidfd_.get(), POLLIN, [this](short) { on_exit(); });
    loop_.after(deadline_usec_, [this] {
      if (!is_open_ && !problem_) problem_ = blame(cat("has run nothing within ", format_duration(deadline_usec_)));
    });
    AGENTCTL_TRY_VOID(loop_.run_until([this] { return is_open_ || problem_; }));
    if (is_open_) return {};
    return *problem_;
  }

 private:
  // With status 0 it has handed over, and its server opens the window.
  void on_exit() {
    loop_.forget(pidfd_.get());
    const auto status = await_exit(pid_);
    if (status && *status != 0) problem_ = blame(cat("ended with status ", *status));
  }

  Error blame(const std::string& what) const {
    const std::string complaint = last_line(read_complaint(complaint_.get()));
    return make_error(ErrorKind::environment,
                      cat("cannot open a window: '", program_, "' ", what, complaint.empty() ? "" : ": ", complaint),
                      kHint);
  }

  EventLoop loop_;
  std::string program_;
  std::uint64_t deadline_usec_;
  UniqueFd complaint_;
  pid_t pid_ = 0;
  UniqueFd pidfd_;
  bool is_open_ = false;
  std::optional<Error> problem_;
};

}  // namespace

Result<void> open_window(const Terminal& terminal, const std::vector<std::string>& words, std::uint64_t deadline_usec) {
  std::vector<std::string> command = {AGENTCTL_TRY(manager::own_program())};
  const ProcessIdentity self = AGENTCTL_TRY(identify_process(::getpid()));
  for (std::string& word : to_window_words({self, words})) command.push_back(std::move(word));
  return OpeningWindow(terminal.program, deadline_usec).open(window_command(terminal, command));
}

std::string last_line(std::string_view text) {
  std::string_view last;
  for_each_part(text, '\n', [&](std::string_view line) {
    if (!trim(line).empty()) last = trim(line);
  });
  return printable(last);
}

}  // namespace agentctl::launcher
