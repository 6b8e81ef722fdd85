// SPDX-License-Identifier: Apache-2.0
// Streams: the agent's standard input, output and error, and what joins them to ours. On a terminal, and without a
// caller, the agent gets a terminal of its own; otherwise each stream is relayed apart. The agent never holds a
// descriptor of the caller.
#pragma once

#include <sys/ioctl.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/attached_clients.h"
#include "manager/caller_terminal.h"
#include "manager/pump.h"
#include "manager/session_log.h"
#include "manager/session_screen.h"
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
  // What is typed comes from the caller's terminal, and not from an attached one, or from nowhere.
  [[nodiscard]] bool caller_types() const { return caller_ != nullptr && !(clients_ && clients_->has_writer()); }
  [[nodiscard]] std::string pty_name() const { return terminal_ ? terminal_->name() : std::string(); }

  // What the child's side has written so far, taken away: bwrap's own complaint when the sandbox does not come up.
  [[nodiscard]] std::string take_early_output();

  // Whether what the agent prints passes the filter (output_filter.h) on its way to terminals: it does unless told
  // otherwise. Before connect().
  void set_filter(bool filters) { filters_ = filters; }
  // What the session's terminal shows is written there, too. Before connect(); of no effect without a terminal.
  void set_log(std::unique_ptr<SessionLog> log) { log_ = std::move(log); }
  // From here on bytes flow, and the caller's terminal is raw. It must not be moved any more.
  void connect(EventLoop& loop, const std::string& session_name, std::function<void()> on_user_input);
  // A client of `attach`; refused without a terminal of the session's own. After connect().
  void attach(UniqueFd connection, const AttachRequest& request);
  // The session stands still, or goes on again: attached clients are told.
  void set_paused(bool is_paused);
  // The caller's window has changed.
  void copy_window_size();
  // The caller's terminal as it was; enter_raw() goes back. No effect without one.
  void leave_raw();
  void enter_raw();
  // The agent is gone: passes the rest of its output on, tells attached clients how it went (see MessageKind::end) and
  // gives the caller's terminal back.
  void finish(std::string_view end_report);

 private:
  void on_output(std::string_view output);
  SessionScreen& screen();
  AttachedClients& clients();

  UniqueFd child_input_, child_output_, child_error_;
  UniqueFd to_input_, from_output_, from_error_;  // our ends of pipes
  std::unique_ptr<Pump> input_, output_, error_;
  std::unique_ptr<SessionTerminal> terminal_;
  std::unique_ptr<CallerTerminal> caller_;
  std::unique_ptr<SessionScreen> screen_;     // since there is something to show
  std::unique_ptr<AttachedClients> clients_;  // since the first came; without a caller from the beginning
  std::unique_ptr<SessionLog> log_;
  bool filters_ = true;
  bool is_paused_ = false;
  EventLoop* loop_ = nullptr;
  std::string session_name_;
  std::function<void()> on_user_input_;
};

}  // namespace agentctl::manager
