// SPDX-License-Identifier: Apache-2.0
// What is made ready inside of the network of a session with the mode nat before its agent runs: what is closed is
// closed by routes (whoever tries hears it at once) and by the kernel's packet filter (nobody gets around it), the
// sockets of the name service are there, and the way out is. All of it is tried before it is believed.
#pragma once

#include "egress/closed_prefixes.h"
#include "egress/inner_network.h"
#include "egress/namespace_helper.h"

namespace agentctl::egress {

// Run inside of it (NamespaceHelper). Waits up to five seconds for the interface that pasta makes.
// Gives the UDP socket and the listening TCP socket of 127.0.0.1 port 53.
[[nodiscard]] Result<Sockets> prepare_nat_namespace(const InnerNetwork& inner, const ClosedPrefixes& closed);

}  // namespace agentctl::egress
