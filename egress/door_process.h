// SPDX-License-Identifier: Apache-2.0
// The process behind a Door (door.h): one loop, no privilege, no file but its log, and the filter of socket_filter.h.
// What comes from inside it takes for hostile. It ends when the supervisor hangs up.
#pragma once

#include <cstdint>
#include <vector>

#include "base/unique_fd.h"
#include "egress/door.h"
#include "egress/namespace_helper.h"

namespace agentctl::egress {

struct DoorWork {
  DoorRequest request;
  Sockets sockets;                   // of prepare_door_namespace()
  std::vector<std::uint16_t> ports;  // of those after the third; the host's are in the request
  UniqueFd control;                  // keeps bounds: "allow RULE" with or without a listener of its port, "deny RULE"
  UniqueFd told;                     // keeps bounds: a DoorTold each, as text
};

inline constexpr std::string_view kDoorReady = "ready";  // its first word on `control`, and the answer to each request

// In a forked child: returns when there is nothing more to do.
void run_door(DoorWork work);

[[nodiscard]] std::string to_text(const DoorTold& told);
[[nodiscard]] DoorTold parse_told(std::string_view text);

}  // namespace agentctl::egress
