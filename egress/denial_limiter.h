// SPDX-License-Identifier: Apache-2.0
// DenialLimiter: keeps a program that knocks without end from filling the log: of denials that are the same in
// protocol, host, port and reason one is told at once, and those of the next ten seconds as one with their number.
// Bounded: of more hosts than it remembers none is told, but how many. Pure: it is told the time. Owned by the door.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egress/net_event.h"

namespace agentctl::egress {

class DenialLimiter {
 public:
  // The event to be written now, if any. `event` holds a denial.
  [[nodiscard]] std::optional<NetEvent> admit(NetEvent event, std::uint64_t now_usec);
  // Those held back whose time is over; all of them at the end.
  [[nodiscard]] std::vector<NetEvent> take_due(std::uint64_t now_usec);
  [[nodiscard]] std::vector<NetEvent> take_all();
  // When to ask next; nothing when nothing is held back.
  [[nodiscard]] std::optional<std::uint64_t> due_usec() const;

 private:
  struct Held {
    std::uint64_t told_usec = 0;
    std::optional<NetEvent> last;  // with the number of those held back
  };
  [[nodiscard]] bool has_room(std::uint64_t now_usec);

  std::map<std::string, Held> held_;
};

}  // namespace agentctl::egress
