// SPDX-License-Identifier: Apache-2.0
// ControlServer: hears the requests on a session's control socket, each connection in its own time: one that says
// nothing is dropped after half a second and holds nobody up meanwhile. At most kMostWaiting wait at once; further ones
// wait in the kernel's queue.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class ControlServer {
 public:
  using Handler = std::function<void(UniqueFd connection, const std::string& text)>;

  // `loop` and `listener` (non-blocking, of listen_control) are the caller's and outlive it.
  ControlServer(EventLoop& loop, int listener, Handler handler);
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;
  ~ControlServer();

 private:
  struct Waiting {
    UniqueFd connection;
    EventLoop::TimerId deadline;
  };
  static constexpr std::size_t kMostWaiting = 16;

  void listen();
  void accept_one();
  void hear(int connection);
  UniqueFd take(int connection);

  EventLoop& loop_;
  int listener_;
  bool listening_ = false;
  Handler handler_;
  std::map<int, Waiting> waiting_;
};

}  // namespace agentctl::manager
