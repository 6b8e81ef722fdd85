// SPDX-License-Identifier: Apache-2.0
// Streams: the agent's standard input, output and error, and what joins them to ours. On a terminal, and without a
// caller, the agent gets a terminal of its own; otherwise each stream is relayed apart. The agent never holds a
// descriptor of the caller.
#pragma once

#include <sys/ioctl.h>

#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/caller_terminal.h"
#include "manager/pump.h"
#include "manager/session_terminal.h"

namespace agentctl::manager {

// Of a terminal that nobody sits at yet.
inline constexpr winsize kUnseenSize = {24, 80, 0, 0};

class Streams {
 public:
  // As our own standard streams are.
  [[nodiscard]] static Result<Streams> open();
  // A terminal of the session's own that nobody sits at: our standard streams are left alone, nothing is typed, and
  // what the agent prints is never held up. A size of 0 rows or columns is kUnseenSize.
  [[nodiscard]] static Result<Streams> open_detached(const winsize& size);

  // For the child; closed by close_child_ends() after the fork.
  [[nodiscard]] int child_input() const { return terminal_ ? terminal_->slave() : child_input_.get(); }
  [[nodiscard]] int child_output() const { return terminal_ ? terminal_->slave() : child_output_.get(); }
  [[nodiscard]] int child_error() const { return child_error_.valid() ? child_error_.get() : child_output(); }
  void close_child_ends();

  [[nodiscard]] bool is_terminal() const { return terminal_ != nullptr; }
  [[nodiscard]] bool has_caller_terminal() const { return caller_ != nullptr; }
  [[nodiscard]] std::string pty_name() const { return terminal_ ? terminal_->name() : std::string(); }

  // What the child's side has written so far, taken away: bwrap's own complaint when the sandbox does not come up.
  [[nodiscard]] std::string take_early_output();

  // From here on bytes flow, and the caller's terminal is raw.
  void connect(EventLoop& loop, std::function<void()> on_user_input);
  // The caller's window has changed.
  void copy_window_size();
  // The caller's terminal as it was; enter_raw() goes back. No effect without one.
  void leave_raw();
  void enter_raw();
  // The agent is gone: passes the rest of its output on and gives the caller's terminal back.
  void finish();

 private:
  UniqueFd child_input_, child_output_, child_error_;
  UniqueFd to_input_, from_output_, from_error_;  // our ends of pipes
  std::unique_ptr<Pump> input_, output_, error_;
  std::unique_ptr<SessionTerminal> terminal_;
  std::unique_ptr<CallerTerminal> caller_;
};

}  // namespace agentctl::manager
