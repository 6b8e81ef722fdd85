// SPDX-License-Identifier: Apache-2.0
#include "manager/terminal.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::manager {
namespace {

// tcsetattr from a background process group stops the caller unless SIGTTOU is blocked or ignored (termios(3)).
void set_attributes(int fd, const termios& attributes) {
  sigset_t ttou;
  sigset_t before;
  sigemptyset(&ttou);
  sigaddset(&ttou, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &ttou, &before);
  while (::tcsetattr(fd, TCSADRAIN, &attributes) != 0 && errno == EINTR) {
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

Result<Pty> open_pty(const std::optional<termios>& attributes, const winsize& size) {
  Pty pty;
  pty.master = AGENTCTL_TRY(open_at(AT_FDCWD, "/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK));
  if (::unlockpt(pty.master.get()) != 0) return errno_error("cannot unlock a pty");
  char name[64];
  if (const int error = ::ptsname_r(pty.master.get(), name, sizeof name); error != 0) {
    return errno_error(error, "cannot name a pty");
  }
  pty.name = name;
  // By descriptor, not by name: /dev/pts may be another devpts here (ioctl_tty(2), TIOCGPTPEER).
  pty.slave.reset(::ioctl(pty.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.slave.valid()) return errno_error("cannot open a pty");
  termios wanted{};
  if (attributes) {
    wanted = *attributes;
  } else if (::tcgetattr(pty.slave.get(), &wanted) == 0) {
    wanted.c_iflag |= IUTF8;  // so that a rubout in a cooked line takes a whole character
  }
  if (::tcsetattr(pty.slave.get(), TCSANOW, &wanted) != 0 || ::ioctl(pty.slave.get(), TIOCSWINSZ, &size) != 0) {
    return errno_error("cannot set up a pty");
  }
  return pty;
}

Result<RawTerminal> RawTerminal::take(int fd, const std::string& farewell) {
  termios saved{};
  if (::tcgetattr(fd, &saved) != 0) return errno_error("cannot read the terminal's attributes");
  RawTerminal terminal(fd, saved);
  terminal.start_guard(farewell);
  return terminal;
}

void RawTerminal::start_guard(const std::string& farewell) {
  auto pipe = make_pipe();
  if (!pipe) return;  // the terminal is then only restored by us
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();  // a signal to our process group must not take the guard along
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::dup2(fd_, 1);  // before 0 is given away, which fd_ may be
    ::dup2(pipe->read_end.get(), 0);
    ::syscall(SYS_close_range, 2U, ~0U, 0);
    char done = 0;
    if (::read(0, &done, 1) == 0) {
      (void)!::write(1, farewell.data(), farewell.size());
      ::tcsetattr(1, TCSADRAIN, &saved_);
    }
    ::_exit(0);
  }
  guard_ = std::move(pipe->write_end);
  guard_pid_ = pid;
}

RawTerminal::~RawTerminal() {
  if (fd_ < 0) return;
  // Answers to what an agent has asked the terminal last are not for the shell.
  if (::tcgetpgrp(fd_) == ::getpgrp()) ::tcflush(fd_, TCIFLUSH);
  restore();
  if (!guard_.valid()) return;
  (void)!::write(guard_.get(), "d", 1);
  guard_.reset();
  ::waitpid(guard_pid_, nullptr, 0);
}

winsize RawTerminal::size() const {
  winsize size{};
  ::ioctl(fd_, TIOCGWINSZ, &size);
  return size;
}

void RawTerminal::enter_raw() const {
  if (::tcgetpgrp(fd_) != ::getpgrp()) return;
  termios raw = saved_;
  ::cfmakeraw(&raw);
  set_attributes(fd_, raw);
}

void RawTerminal::restore() const { set_attributes(fd_, saved_); }

Result<UniqueFd> reopen(int fd, int access_mode) {
  struct stat status {};
  // Not a regular file: it must keep the position that it shares with the caller's other programs.
  const bool is_stream = ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || ::isatty(fd) != 0);
  if (is_stream) {
    UniqueFd own(::open(cat("/proc/self/fd/", fd).c_str(), access_mode | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (own.valid()) return own;
  }
  UniqueFd copy(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy.valid()) return errno_error("cannot duplicate a standard stream");
  return copy;
}

}  // namespace agentctl::manager
