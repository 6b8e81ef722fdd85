// SPDX-License-Identifier: Apache-2.0
#include "egress/route_messages.h"

#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>

namespace agentctl::egress {
namespace {

using policy::IpAddress;
using policy::IpPrefix;

constexpr std::uint16_t kChange = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;

std::uint8_t family_of(const IpAddress& address) { return address.is_v4() ? AF_INET : AF_INET6; }

rtmsg route_to(const IpPrefix& range, std::uint8_t type) {
  rtmsg route{};
  route.rtm_family = family_of(range.address);
  route.rtm_dst_len = static_cast<std::uint8_t>(range.length);
  route.rtm_table = RT_TABLE_MAIN;
  route.rtm_protocol = RTPROT_STATIC;
  route.rtm_scope = RT_SCOPE_UNIVERSE;
  route.rtm_type = type;
  return route;
}

}  // namespace

NetlinkMessage make_unreachable(const IpPrefix& range) {
  NetlinkMessage message(RTM_NEWROUTE, kChange);
  message.head(route_to(range, RTN_UNREACHABLE)).bytes(RTA_DST, range.address.bytes());
  return message;
}

NetlinkMessage make_own(const IpPrefix& range, int interface) {
  rtmsg route = route_to(range, RTN_LOCAL);
  route.rtm_table = RT_TABLE_LOCAL;
  route.rtm_scope = RT_SCOPE_HOST;
  NetlinkMessage message(RTM_NEWROUTE, kChange);
  message.head(route).bytes(RTA_DST, range.address.bytes()).number(RTA_OIF, interface);
  return message;
}

NetlinkMessage make_route(const IpPrefix& range, const IpAddress& gateway, int interface) {
  NetlinkMessage message(RTM_NEWROUTE, kChange);
  message.head(route_to(range, RTN_UNICAST)).bytes(RTA_DST, range.address.bytes()).bytes(RTA_GATEWAY, gateway.bytes());
  message.number(RTA_OIF, interface);
  return message;
}

NetlinkMessage make_neighbour(const IpAddress& address, std::span<const std::uint8_t, 6> hardware, int interface) {
  ndmsg neighbour{};
  neighbour.ndm_family = family_of(address);
  neighbour.ndm_ifindex = interface;
  neighbour.ndm_state = NUD_PERMANENT;
  NetlinkMessage message(RTM_NEWNEIGH, kChange);
  message.head(neighbour).bytes(NDA_DST, address.bytes()).bytes(NDA_LLADDR, hardware);
  return message;
}

NetlinkMessage ask_route(const IpAddress& address) {
  rtmsg route{};
  route.rtm_family = family_of(address);
  route.rtm_dst_len = static_cast<std::uint8_t>(policy::single(address).length);
  NetlinkMessage message(RTM_GETROUTE, 0);
  message.head(route).bytes(RTA_DST, address.bytes());
  return message;
}

std::optional<int> interface_of(std::string_view answer) {
  if (answer.size() < sizeof(rtmsg)) return std::nullopt;
  answer.remove_prefix(NLMSG_ALIGN(sizeof(rtmsg)));
  while (answer.size() >= sizeof(rtattr)) {
    rtattr attribute{};
    std::memcpy(&attribute, answer.data(), sizeof attribute);
    if (attribute.rta_len < sizeof attribute || attribute.rta_len > answer.size()) return std::nullopt;
    if (attribute.rta_type == RTA_OIF && attribute.rta_len == RTA_LENGTH(sizeof(int))) {
      int interface = 0;
      std::memcpy(&interface, answer.data() + RTA_LENGTH(0), sizeof interface);
      return interface;
    }
    answer.remove_prefix(std::min<std::size_t>(RTA_ALIGN(attribute.rta_len), answer.size()));
  }
  return std::nullopt;
}

}  // namespace agentctl::egress
