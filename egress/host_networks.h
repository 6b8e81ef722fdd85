// SPDX-License-Identifier: Apache-2.0
// HostNetworks: what the addresses of the host's interfaces say of which addresses are near (getifaddrs(3), asked for
// anew when the network changes). A public address may be the host's own, or a neighbour's.
#pragma once

#include <vector>

#include "policy/ip_address.h"

namespace agentctl::egress {

struct HostNetworks {
  std::vector<policy::IpAddress> own;
  std::vector<policy::IpPrefix> links;  // what is reached without a gateway
};

}  // namespace agentctl::egress
