// SPDX-License-Identifier: Apache-2.0
// Streams: the agent's standard input, output and error, and what joins them to ours. On a terminal the agent gets a
// pty of its own; otherwise each stream is relayed apart. The agent never holds a descriptor of the caller.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/pump.h"
#include "manager/terminal.h"

namespace agentctl::manager {

class Streams {
 public:
  [[nodiscard]] static Result<Streams> open();

  // For the child; closed by close_child_ends() after the fork.
  [[nodiscard]] int child_input() const { return child_input_.get(); }
  [[nodiscard]] int child_output() const { return child_output_.get(); }
  [[nodiscard]] int child_error() const { return child_error_.get(); }
  void close_child_ends();

  [[nodiscard]] bool is_terminal() const { return pty_name_.has_value(); }
  [[nodiscard]] std::string pty_name() const { return pty_name_.value_or(""); }

  // What the child's side has written so far, taken away: bwrap's own complaint when the sandbox does not come up.
  [[nodiscard]] std::string take_early_output();

  // From here on bytes flow, and the user's terminal is raw.
  void connect(EventLoop& loop, std::function<void()> on_user_input);
  // The user's window has changed.
  void copy_window_size();
  // The user's terminal as it was; enter_raw() goes back. No effect without a terminal.
  void leave_raw();
  void enter_raw();
  // The agent is gone: passes the rest of its output on and gives the terminal back.
  void finish();

 private:
  UniqueFd child_input_, child_output_, child_error_;
  UniqueFd to_input_, from_output_, from_error_;  // our ends
  std::optional<std::string> pty_name_;
  std::optional<RawTerminal> terminal_;
  std::unique_ptr<Pump> input_, output_, error_;
  int master_ = -1;  // borrowed from from_output_ or the output pump
};

}  // namespace agentctl::manager
