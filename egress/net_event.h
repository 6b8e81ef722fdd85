// SPDX-License-Identifier: Apache-2.0
// NetEvent: one thing that happened at the door, and the line of JSON that tells of it (`agentctl logs NAME --net`, one
// object a line). Pure. What it never holds: paths, headers, bodies, credentials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egress/denial.h"
#include "policy/host.h"

namespace agentctl::egress {

enum class Protocol { connect, http, socks5, transparent, dns };
[[nodiscard]] std::string_view to_string(Protocol protocol);

struct NetEvent {
  std::uint64_t time_usec = 0;  // realtime
  Protocol protocol = Protocol::connect;
  std::optional<Denial> denial;  // nothing: it was allowed
  std::string host;              // canonical; empty where none could be read
  std::optional<std::uint16_t> port;
  std::string rule;                          // that decided; empty where none did
  std::optional<policy::IpAddress> address;  // that was connected to
  std::uint64_t bytes_up = 0;                // from the sandbox
  std::uint64_t bytes_down = 0;
  std::uint64_t duration_usec = 0;
  std::uint64_t count = 1;  // of the same since it was last told
};

// {"time_usec":…,"verdict":"denied","reason":"no-rule",…} and a line feed. Verdicts: allowed, denied, failed.
[[nodiscard]] std::string log_line(const NetEvent& event);

}  // namespace agentctl::egress
