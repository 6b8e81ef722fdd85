// SPDX-License-Identifier: Apache-2.0
// CallerTerminal: the terminal that `start` was typed at, while the session has it: raw, its keys go to the session's
// terminal and what the agent prints comes here. A terminal that does not read holds the agent up. As it was at
// destruction.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "base/event_loop.h"
#include "base/result.h"
#include "manager/pump.h"
#include "manager/session_terminal.h"
#include "manager/sink.h"
#include "manager/terminal.h"

namespace agentctl::manager {

class CallerTerminal {
 public:
  // Standard input and output are it.
  [[nodiscard]] static Result<std::unique_ptr<CallerTerminal>> take();

  [[nodiscard]] const termios& attributes() const { return terminal_.saved(); }
  [[nodiscard]] winsize size() const { return terminal_.size(); }

  // `loop` and `session` outlive it. `on_input` is called after each read from the keyboard.
  void connect(EventLoop& loop, SessionTerminal& session, std::function<void()> on_input);
  void show(std::string_view output);
  // Whether its keys go to the session.
  void let_type(bool may_type);
  void leave_raw() const { terminal_.restore(); }
  void enter_raw();
  // Shows what still waits, up to the moment (monotonic_usec).
  void drain(std::uint64_t until_usec);

 private:
  explicit CallerTerminal(RawTerminal terminal) : terminal_(std::move(terminal)) {}

  RawTerminal terminal_;
  SessionTerminal* session_ = nullptr;
  std::unique_ptr<Pump> input_;
  std::unique_ptr<Sink> output_;
};

}  // namespace agentctl::manager
