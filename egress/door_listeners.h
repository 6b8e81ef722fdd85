// SPDX-License-Identifier: Apache-2.0
// DoorListeners: what accepts connections from inside, and the connections. Bounded: beyond a number of them new ones
// wait until others end. Owned by the door's process.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "egress/door_connection.h"

namespace agentctl::egress {

class DoorListeners {
 public:
  explicit DoorListeners(const DoorParts& parts) : parts_(parts) {}
  DoorListeners(const DoorListeners&) = delete;
  DoorListeners& operator=(const DoorListeners&) = delete;

  // `port`: programs that know no proxies come there, for the host whose address they connect to; none: the door's own.
  void add(UniqueFd listener, std::optional<std::uint16_t> port);

 private:
  void on_connection(int listener, std::optional<std::uint16_t> port);
  void remove(std::list<std::optional<DoorConnection>>::iterator connection);
  void set_events(short events);
  void rest();

  const DoorParts& parts_;
  std::vector<UniqueFd> listeners_;
  std::list<std::optional<DoorConnection>> connections_;
  bool is_full_ = false;
  EventLoop::TimerId rest_ = 0;  // while no descriptor is left for another connection
};

}  // namespace agentctl::egress
