// SPDX-License-Identifier: Apache-2.0
// InnerNetwork: the addresses of the one interface that a session with the network mode nat has. They are seen by the
// session alone, belong to nobody (RFC 5737, RFC 4193), and are none to which the host is attached. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "egress/host_networks.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

inline constexpr const char* kInnerInterface = "nat0";
// Of the gateway: locally administered (IEEE 802), as no real interface's is.
inline constexpr std::array<std::uint8_t, 6> kGatewayMac = {0x02, 0x61, 0x67, 0x65, 0x6e, 0x74};

struct InnerAddresses {
  policy::IpAddress address;
  policy::IpAddress gateway;
  unsigned length;  // of the network of both
};

struct InnerNetwork {
  std::optional<InnerAddresses> v4;
  std::optional<InnerAddresses> v6;
};

// Of the families asked for. Without a free IPv4 network there is none of that family.
[[nodiscard]] InnerNetwork choose_inner_network(const HostNetworks& host, bool v4, bool v6);

}  // namespace agentctl::egress
