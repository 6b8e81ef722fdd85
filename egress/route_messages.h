// SPDX-License-Identifier: Apache-2.0
// Requests about routes and neighbours (rtnetlink(7)), and what the kernel answers. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "egress/netlink_message.h"
#include "policy/ip_address.h"

namespace agentctl::egress {

// Whoever sends to the range hears EHOSTUNREACH at once.
[[nodiscard]] NetlinkMessage make_unreachable(const policy::IpPrefix& range);
// Every address of the range is the namespace's own: whoever sends there reaches what listens here.
[[nodiscard]] NetlinkMessage make_own(const policy::IpPrefix& range, int interface);
// The range by way of the gateway, over the interface.
[[nodiscard]] NetlinkMessage make_route(const policy::IpPrefix& range, const policy::IpAddress& gateway, int interface);
// The interface's neighbour whose hardware address is known for good, so that nobody is asked for it.
[[nodiscard]] NetlinkMessage make_neighbour(const policy::IpAddress& address, std::span<const std::uint8_t, 6> hardware,
                                            int interface);

// By which interface would the address be reached?
[[nodiscard]] NetlinkMessage ask_route(const policy::IpAddress& address);
// The answer's: none where it is not to be understood.
[[nodiscard]] std::optional<int> interface_of(std::string_view answer);

}  // namespace agentctl::egress
