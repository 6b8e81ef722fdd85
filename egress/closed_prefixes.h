// SPDX-License-Identifier: Apache-2.0
// What a session with the network mode nat does not reach: every address that is not of the public internet, and the
// host's own addresses with the networks to which it is attached. Pure. Not closed are public addresses that lead back
// to the host or its network by ways that its own addresses do not show: its router's outer address, for example.
#pragma once

#include <vector>

#include "egress/host_networks.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

struct ClosedPrefixes {
  std::vector<policy::IpPrefix> v4;
  // In this order: what is in `v6_open` of the rest of a range that `v6` closes is reached all the same.
  std::vector<policy::IpPrefix> v6_first;
  policy::IpPrefix v6_open;  // NAT64, by which a network without IPv4 reaches the public one
  std::vector<policy::IpPrefix> v6;
};

[[nodiscard]] ClosedPrefixes closed_prefixes(const HostNetworks& host);

}  // namespace agentctl::egress
