// SPDX-License-Identifier: Apache-2.0
#include "egress/nat_namespace.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "egress/filter_messages.h"
#include "egress/netlink_socket.h"
#include "egress/route_messages.h"
#include "egress/socket_address.h"
#include "policy/address_class.h"

namespace agentctl::egress {
namespace {

using policy::IpAddress;
using policy::IpPrefix;

constexpr std::uint64_t kInterfaceUsec = 5'000'000;
constexpr int kLoopback = 1;  // the index of lo in every network namespace
constexpr std::uint16_t kNamePort = 53, kDiscardPort = 9;
// Of the public internet; nothing is sent there.
constexpr std::string_view kPublic4 = "1.1.1.1", kPublic6 = "2606:4700:4700::1111";

Result<void> close_by_routes(NetlinkSocket& kernel, const ClosedPrefixes& closed) {
  std::vector<NetlinkMessage> messages;
  for (const auto* ranges : {&closed.v4, &closed.v6_first, &closed.v6}) {
    for (const IpPrefix& range : *ranges) messages.push_back(make_unreachable(range));
  }
  return with_context("cannot close the host's network to the session", kernel.apply(messages));
}

Result<void> close_by_filter(std::vector<NetlinkMessage> messages) {
  NetlinkSocket kernel = AGENTCTL_TRY(NetlinkSocket::open(NETLINK_NETFILTER));
  auto closing = kernel.apply(messages);
  if (!closing) closing.error().hint = "the kernel must have nf_tables (modprobe nf_tables); or --net none";
  return with_context("cannot close the host's network to the session", std::move(closing));
}

// The interface; an Error where there is no way.
Result<int> way_to(NetlinkSocket& kernel, const IpAddress& address) {
  NetlinkMessage question = ask_route(address);
  const std::string answer = AGENTCTL_TRY(kernel.ask(question));
  if (const auto interface = interface_of(answer)) return *interface;
  return make_error(ErrorKind::internal, "cannot understand what the kernel says of its routes");
}

Result<int> wait_for_way(NetlinkSocket& kernel, NetlinkSocket& events, const IpAddress& address,
                         std::uint64_t deadline) {
  while (true) {
    const int interface = static_cast<int>(::if_nametoindex(kInnerInterface));
    const auto way = way_to(kernel, address);
    if (way && interface != 0 && *way == interface) return interface;
    const std::uint64_t now = monotonic_usec();
    const auto msec = static_cast<int>(now < deadline ? (deadline - now + 999) / 1000 : 0);
    if (msec == 0 || !AGENTCTL_TRY(events.wait_for_event(msec))) {
      return make_error(ErrorKind::environment, "pasta gave the session no way to the internet in time");
    }
  }
}

Result<UniqueFd> open_name_socket(int type) {
  UniqueFd made(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketAddress address(*policy::parse_ipv4("127.0.0.1"), kNamePort);
  if (!made.valid() || ::bind(made.get(), address.get(), address.size()) != 0 ||
      (type == SOCK_STREAM && ::listen(made.get(), 64) != 0)) {
    return errno_error("cannot serve names to the session");
  }
  return made;
}

// The last address but one: neither the session's own nor the loopback's, whatever the range.
IpAddress inside_of(const IpPrefix& range) {
  std::array<std::uint8_t, 16> bytes{};
  const std::size_t size = range.address.bytes().size();
  for (std::size_t at = 0; at < size; ++at) {
    const auto kept = std::clamp<std::ptrdiff_t>(
        static_cast<std::ptrdiff_t>(range.length) - static_cast<std::ptrdiff_t>(at * 8), 0, 8);
    bytes.at(at) = static_cast<std::uint8_t>(range.address.bytes()[at] | (0xffU >> kept));
  }
  if (!range.is_single()) bytes.at(size - 1) &= 0xfe;
  const std::span<const std::uint8_t, 16> all(bytes);
  return range.address.is_v4() ? IpAddress::v4(all.first<4>()) : IpAddress::v6(all);
}

// What a program in the session would hear that has bound its socket to the interface, which passes routes by.
int try_to_send(const IpAddress& address) {
  const int family = address.is_v4() ? AF_INET : AF_INET6;
  const UniqueFd socket(::socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_BINDTODEVICE, kInnerInterface, std::strlen(kInnerInterface)) != 0 ||
      ::setsockopt(socket.get(), SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes) != 0) {
    return errno;
  }
  const SocketAddress to(address, kDiscardPort);
  return ::sendto(socket.get(), "", 0, 0, to.get(), to.size()) < 0 ? errno : 0;
}

// To a link's own addresses and to groups, whatever other routes say.
bool has_route_of_the_kernel(const IpAddress& address) {
  const policy::AddressClass kind = policy::classify(address);
  return kind == policy::AddressClass::multicast || kind == policy::AddressClass::link_local;
}

Result<void> prove_closed(NetlinkSocket& kernel, const IpPrefix& range) {
  const IpAddress target = inside_of(range);
  const auto way = way_to(kernel, target);
  const int sent = try_to_send(target);
  const bool has_no_way = !way || *way == kLoopback || has_route_of_the_kernel(target);
  if (has_no_way && sent != 0) return {};
  return make_error(ErrorKind::environment, cat("the session would reach '", to_string(range), "', which is closed"),
                    "--net none needs no proof");
}

Result<void> prove(NetlinkSocket& kernel, const InnerNetwork& inner, const ClosedPrefixes& closed) {
  for (const IpPrefix& range : closed.v4) AGENTCTL_TRY_VOID(prove_closed(kernel, range));
  if (!inner.v6) return {};
  for (const auto* ranges : {&closed.v6_first, &closed.v6}) {
    for (const IpPrefix& range : *ranges) AGENTCTL_TRY_VOID(prove_closed(kernel, range));
  }
  return {};
}

Result<void> settle_neighbours(NetlinkSocket& kernel, const InnerNetwork& inner, const ClosedPrefixes& closed,
                               int interface) {
  std::vector<NetlinkMessage> messages;
  for (const auto& family : {inner.v4, inner.v6}) {
    if (family) messages.push_back(make_neighbour(family->gateway, kGatewayMac, interface));
  }
  if (inner.v6) messages.push_back(make_route(closed.v6_open, inner.v6->gateway, interface));
  return with_context("cannot set up the network of the session", kernel.apply(messages));
}

}  // namespace

Result<Sockets> prepare_nat_namespace(const InnerNetwork& inner, const ClosedPrefixes& closed) {
  const std::uint64_t deadline = monotonic_usec() + kInterfaceUsec;
  NetlinkSocket events =
      AGENTCTL_TRY(NetlinkSocket::open(NETLINK_ROUTE, RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE));
  NetlinkSocket kernel = AGENTCTL_TRY(NetlinkSocket::open(NETLINK_ROUTE));
  AGENTCTL_TRY_VOID(close_by_routes(kernel, closed));
  AGENTCTL_TRY_VOID(close_by_filter(make_filter(closed)));
  Sockets sockets;
  sockets.push_back(AGENTCTL_TRY(open_name_socket(SOCK_DGRAM)));
  sockets.push_back(AGENTCTL_TRY(open_name_socket(SOCK_STREAM)));
  int interface = 0;
  if (inner.v4) interface = AGENTCTL_TRY(wait_for_way(kernel, events, *policy::parse_ipv4(kPublic4), deadline));
  if (inner.v6) interface = AGENTCTL_TRY(wait_for_way(kernel, events, *policy::parse_ipv6(kPublic6), deadline));
  AGENTCTL_TRY_VOID(settle_neighbours(kernel, inner, closed, interface));
  AGENTCTL_TRY_VOID(prove(kernel, inner, closed));
  AGENTCTL_TRY_VOID(close_by_filter(make_udp_filter()));
  return sockets;
}

}  // namespace agentctl::egress
