// SPDX-License-Identifier: Apache-2.0
// AttachedClients: those who look at a session's terminal by `attach`. At most one of them types; the size of the
// terminal is that of the window of who types. A caller of `start` types until a client takes over, and again when
// that one leaves. While nobody types, the screen model answers what the agent asks its terminal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "manager/attached_client.h"
#include "manager/caller_terminal.h"
#include "manager/screen_model.h"
#include "manager/session_terminal.h"

namespace agentctl::manager {

class AttachedClients {
 public:
  struct Session {
    std::string name;
    SessionTerminal& terminal;
    ScreenModel& screen;
    CallerTerminal* caller = nullptr;  // none: detached
    std::function<void()> on_input;    // something was typed
  };
  // All that it is given outlives it.
  AttachedClients(EventLoop& loop, Session session);

  void add(UniqueFd connection, const AttachRequest& request);
  // What has passed the filter and was drawn already.
  void show(std::string_view output);
  // The session stands still, and whoever looks at it is told why nothing moves; or it goes on.
  void set_paused(bool is_paused);
  // The session is over: tells them, up to the moment (monotonic_usec).
  void end(std::string_view text, std::uint64_t until_usec);
  [[nodiscard]] bool has_writer() const { return writer_ != nullptr; }

 private:
  void on_message(AttachedClient& client, const Message& message);
  void remove(AttachedClient& client);
  void make_writer(AttachedClient& client);
  void choose_writer();
  void take_size(const winsize& size);
  void update_answers();
  void tell(AttachedClient& client, const std::string& text);
  void tell_caller_taken_over();
  void give_back_to_caller();
  [[nodiscard]] std::string describe_role(const AttachedClient& client) const;

  EventLoop& loop_;
  Session session_;
  std::vector<std::unique_ptr<AttachedClient>> clients_;
  AttachedClient* writer_ = nullptr;
  unsigned last_number_ = 0;
  bool is_paused_ = false;
};

}  // namespace agentctl::manager
