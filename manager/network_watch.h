// SPDX-License-Identifier: Apache-2.0
// NetworkWatch: hears what becomes of a running session's way out: that the way of nat or the door of an allowlist is
// lost, and what the door has decided. Asleep until one of them says something. Owned by the supervisor.
#pragma once

#include <functional>
#include <string>

#include "base/event_loop.h"
#include "manager/agent.h"

namespace agentctl::manager {

class NetworkWatch {
 public:
  struct Callbacks {
    std::function<void(const std::string& sentence)> lost;  // for the user
    std::function<void(const egress::DoorTold&)> heard;
  };
  // `loop` and `agent` outlive this.
  NetworkWatch(EventLoop& loop, Agent& agent, Callbacks callbacks);
  NetworkWatch(const NetworkWatch&) = delete;
  NetworkWatch& operator=(const NetworkWatch&) = delete;
  ~NetworkWatch();

  // Everything inside has ended: ends the door, and hears what it had not told yet.
  void hear_last();

 private:
  void watch_nat();
  void watch_door();
  void hear();
  void forget_door();

  EventLoop& loop_;
  Agent& agent_;
  Callbacks callbacks_;
  bool hears_door_ = false;
};

}  // namespace agentctl::manager
