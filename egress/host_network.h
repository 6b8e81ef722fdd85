// SPDX-License-Identifier: Apache-2.0
// HostNetwork: to what this machine is attached, as the kernel says it at this moment: getifaddrs(3), and the routing
// tables of proc(5).
#pragma once

#include <string_view>

#include "base/result.h"
#include "egress/host_networks.h"

namespace agentctl::egress {

struct HostNetwork {
  HostNetworks near;    // of every interface, but for the loopback's own addresses
  bool has_v4 = false;  // a default route
  bool has_v6 = false;
};

[[nodiscard]] Result<HostNetwork> read_host_network();
// The first part alone, which needs no file.
[[nodiscard]] Result<HostNetworks> read_near_networks();

// Whether a table of /proc/net/route or /proc/net/ipv6_route has a default route that leads somewhere.
[[nodiscard]] bool has_default_route_v4(std::string_view table);
[[nodiscard]] bool has_default_route_v6(std::string_view table);

}  // namespace agentctl::egress
