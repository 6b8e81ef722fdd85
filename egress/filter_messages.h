// SPDX-License-Identifier: Apache-2.0
// The packet filter of a session's own network (nf_tables): what is sent to a closed range is dropped, whichever
// interface its sender has bound itself to, multicast and broadcast too. Routes alone do not close: a socket that is
// bound to an interface (SO_BINDTODEVICE, which needs no privilege) passes a refusing route by. One transaction. Pure.
// Sources: nft(8); include/uapi/linux/netfilter/nf_tables.h.
#pragma once

#include <vector>

#include "egress/closed_prefixes.h"
#include "egress/netlink_message.h"

namespace agentctl::egress {

// In a namespace that has none of our tables yet. The kernel answers EOPNOTSUPP or EINVAL where it lacks nf_tables.
[[nodiscard]] std::vector<NetlinkMessage> make_filter(const ClosedPrefixes& closed);

// Added to those: no UDP leaves the session. pasta passes none on (pasta_command.cpp says why), and so whoever tries
// hears it at once. Apart, since what is closed is tried by UDP.
[[nodiscard]] std::vector<NetlinkMessage> make_udp_filter();

}  // namespace agentctl::egress
