// SPDX-License-Identifier: Apache-2.0
// The user's terminal and the agent's own: a session has a pty of its own, so the agent never holds a descriptor of the
// user's terminal (no TIOCSTI into it, no O_NONBLOCK or termios left behind). Sources: termios(3), pty(7),
// ioctl_tty(2).
#pragma once

#include <sys/ioctl.h>
#include <sys/types.h>
#include <termios.h>

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

struct Pty {
  UniqueFd master;  // non-blocking
  UniqueFd slave;
  std::string name;  // "/dev/pts/7"
};
// Without attributes: those that the kernel gives a new one, with IUTF8.
[[nodiscard]] Result<Pty> open_pty(const std::optional<termios>& attributes, const winsize& size);

// A terminal in raw mode; its attributes come back at restore() and at destruction (what was typed and not read is
// dropped then), and, should this process be killed
// by SIGKILL, through a guard process that waits for just that (and for nothing else, outside the session's scope).
class RawTerminal {
 public:
  // `farewell`: what the guard writes to the terminal before that.
  [[nodiscard]] static Result<RawTerminal> take(int fd, const std::string& farewell = "");
  RawTerminal(RawTerminal&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)),
        saved_(other.saved_),
        guard_(std::move(other.guard_)),
        guard_pid_(other.guard_pid_) {}
  RawTerminal& operator=(RawTerminal&&) = delete;
  ~RawTerminal();

  [[nodiscard]] const termios& saved() const { return saved_; }
  [[nodiscard]] winsize size() const;
  // Nothing while this process is in the background: the terminal is then somebody else's.
  void enter_raw() const;
  void restore() const;

 private:
  RawTerminal(int fd, const termios& saved) : fd_(fd), saved_(saved) {}
  void start_guard(const std::string& farewell);

  int fd_;
  termios saved_;
  UniqueFd guard_;  // closing it unsaid, as death does, makes the guard restore the terminal
  pid_t guard_pid_ = 0;
};

// A descriptor for the same terminal or pipe with an open file description of its own, non-blocking, so that a stuck
// reader cannot stop us and the user's own description keeps its flags. Where the kind of file forbids it: a plain
// duplicate.
[[nodiscard]] Result<UniqueFd> reopen(int fd, int access_mode);

}  // namespace agentctl::manager
