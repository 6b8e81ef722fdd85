// SPDX-License-Identifier: Apache-2.0
// Publication: which port of this machine's loopback leads to which port of a session's; or "auto": each port that
// something inside listens on, for as long as it does. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::policy {

struct Publication {
  std::uint16_t host_port = 0;
  std::uint16_t port = 0;  // inside

  [[nodiscard]] bool is_automatic() const { return port == 0; }
  friend bool operator==(const Publication&, const Publication&) = default;
};

// "3000": the same number on both sides; "8080:3000": the host's first; "auto". Kind usage.
[[nodiscard]] Result<Publication> parse_publication(std::string_view text);
[[nodiscard]] std::string to_string(const Publication& publication);  // as it is parsed

// Entries of [network] publish and host-ports, after an optional "!". Errors (kind policy) hold only the fault.
[[nodiscard]] Result<void> check_publish_entry(std::string_view entry);
[[nodiscard]] Result<void> check_port_entry(std::string_view entry);

}  // namespace agentctl::policy
