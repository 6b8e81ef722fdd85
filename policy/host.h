// SPDX-License-Identifier: Apache-2.0
// Host: who is meant by the text before a port: a name or an address. Endpoint: a host and a port. Pure; the grammar is
// that of RFC 3986's authority without user information, less what is read differently by different programs
// (host_name.h, ip_address.h). Errors (kind policy) hold only the fault: "must not be empty".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "policy/host_name.h"
#include "policy/ip_address.h"

namespace agentctl::policy {

using Host = std::variant<HostName, IpAddress>;

struct Endpoint {
  Host host;
  std::uint16_t port = 0;
  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

// "example.com", "192.0.2.7", "[2001:db8::7]".
[[nodiscard]] Result<Host> parse_host(std::string_view text);
// "443": 1 to 65535, without sign, blanks and leading zeros.
[[nodiscard]] Result<std::uint16_t> parse_port(std::string_view text);

struct HostAndPort {
  Host host;
  std::optional<std::uint16_t> port;
};
// A host, with or without ":" and a port.
[[nodiscard]] Result<HostAndPort> parse_host_and_port(std::string_view text);

// Where the ":" before a port is: behind the bracket of an IPv6 address, else the only one there is. npos: there is
// none.
[[nodiscard]] std::size_t find_port_colon(std::string_view text);

[[nodiscard]] std::string to_string(const Host& host);  // IPv6 in brackets
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

}  // namespace agentctl::policy
