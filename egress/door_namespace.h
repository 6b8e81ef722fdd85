// SPDX-License-Identifier: Apache-2.0
// What is made ready inside of the network of a session with the mode allowlist before its agent runs: the listeners of
// the door, and the addresses that lead to it. That nothing else leads out is tried before it is believed.
#pragma once

#include <cstdint>
#include <vector>

#include "egress/namespace_helper.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

// What stands for names inside (fake_addresses.h): a range for benchmarks, which nobody has (RFC 2544, RFC 6890).
[[nodiscard]] policy::IpPrefix door_pool();

// Run inside of it (NamespaceHelper). Gives the UDP socket and the listening socket of 127.0.0.1 port 53, the listener
// of port kDoorPort there, one for each of the ports on any address, and one for each of the host's ports on 127.0.0.1,
// in their order.
[[nodiscard]] Result<Sockets> prepare_door_namespace(const std::vector<std::uint16_t>& ports,
                                                     const std::vector<std::uint16_t>& host_ports);
// A listener for one more port.
[[nodiscard]] Result<Sockets> listen_for_door(std::uint16_t port);

}  // namespace agentctl::egress
