// SPDX-License-Identifier: Apache-2.0
// AttachedClient: one `attach`, seen from the supervisor. What it does not read in time waits; once a megabyte waits,
// all of that is dropped, and when it reads again it gets the screen as it is then. Nobody waits for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "manager/attach_protocol.h"

namespace agentctl::manager {

class AttachedClient {
 public:
  struct Callbacks {
    std::function<void(AttachedClient&, const Message&)> on_message;
    std::function<void(AttachedClient&)> on_gone;       // it may be destroyed from here
    std::function<void(AttachedClient&)> on_caught_up;  // what it missed was dropped: it needs the whole screen
  };
  // `number`: which it is of a session's.
  AttachedClient(EventLoop& loop, UniqueFd connection, const AttachRequest& request, unsigned number,
                 Callbacks callbacks);
  AttachedClient(const AttachedClient&) = delete;
  AttachedClient& operator=(const AttachedClient&) = delete;
  ~AttachedClient();

  void show(std::string_view output);
  void send(MessageKind kind, std::string_view body);
  // Nothing is heard of it meanwhile.
  void hold(bool held);
  // Sends what waits, up to the moment (monotonic_usec).
  void drain(std::uint64_t until_usec);

  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] bool is_read_only() const { return read_only_; }
  [[nodiscard]] const winsize& size() const { return size_; }
  void set_size(const winsize& size) { size_ = size; }

 private:
  void on_ready(short revents);
  bool hear();  // false: it is gone
  void send_waiting();
  void update_interest();

  EventLoop& loop_;
  UniqueFd connection_;
  Callbacks callbacks_;
  winsize size_;
  bool read_only_;
  unsigned number_;
  bool lags_ = false;
  bool is_held_ = false;
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
};

}  // namespace agentctl::manager
