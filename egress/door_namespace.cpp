// SPDX-License-Identifier: Apache-2.0
#include "egress/door_namespace.h"

#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <string_view>

#include "base/text.h"
#include "egress/door.h"
#include "egress/netlink_socket.h"
#include "egress/route_messages.h"
#include "egress/socket_address.h"

namespace agentctl::egress {
namespace {

constexpr int kLoopback = 1;  // the index of lo in every network namespace
constexpr int kBacklog = 1024;
constexpr std::uint16_t kNamePort = 53, kDiscardPort = 9;
constexpr std::string_view kAny = "0.0.0.0", kLocalhost = "127.0.0.1";
// Of the public internet and of networks near by; nothing is sent there.
constexpr std::string_view kOutside[] = {"1.1.1.1", "10.0.0.1", "169.254.169.254", "2606:4700:4700::1111", "fd00::1"};

Result<UniqueFd> open_socket(int type, std::string_view host, std::uint16_t port) {
  UniqueFd made(::socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const SocketAddress address(*policy::parse_ipv4(host), port);
  if (!made.valid() || ::bind(made.get(), address.get(), address.size()) != 0 ||
      (type == SOCK_STREAM && ::listen(made.get(), kBacklog) != 0)) {
    return errno_error(cat("cannot listen on port ", port, " of the session's network"));
  }
  return made;
}

// Another interface would be another way out, whatever the routes say now.
Result<void> prove_lone_loopback() {
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> all(::if_nameindex(), ::if_freenameindex);
  if (!all) return errno_error("cannot list the interfaces of the session's network");
  for (const struct if_nameindex* at = all.get(); at->if_index != 0; ++at) {
    if (at->if_index == kLoopback) continue;
    return make_error(ErrorKind::environment,
                      cat("the session's network has another interface, '", printable(at->if_name), "'"),
                      "--net none needs no door");
  }
  return {};
}

Result<void> prove_closed(std::string_view text) {
  const auto v4 = policy::parse_ipv4(text);
  const SocketAddress address(v4 ? *v4 : *policy::parse_ipv6(text), kDiscardPort);
  const UniqueFd socket(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() && errno == EAFNOSUPPORT) return {};  // a kernel without IPv6
  if (!socket.valid()) return errno_error("cannot make a socket in the session's network");
  if (::connect(socket.get(), address.get(), address.size()) != 0) return {};
  return make_error(ErrorKind::environment, cat("the session would have a way to '", text, "' past the door"),
                    "--net none needs no door");
}

}  // namespace

policy::IpPrefix door_pool() { return policy::prefix_of(*policy::parse_ipv4("198.18.0.0"), 15); }

Result<Sockets> listen_for_door(std::uint16_t port) {
  Sockets sockets;
  sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_STREAM, kAny, port)));
  return sockets;
}

Result<Sockets> prepare_door_namespace(const std::vector<std::uint16_t>& ports,
                                       const std::vector<std::uint16_t>& host_ports) {
  NetlinkSocket kernel = AGENTCTL_TRY(NetlinkSocket::open(NETLINK_ROUTE));
  std::vector<NetlinkMessage> messages = {make_own(door_pool(), kLoopback)};
  AGENTCTL_TRY_VOID(with_context("cannot set up the network of the session", kernel.apply(messages)));
  Sockets sockets;
  sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_DGRAM, kLocalhost, kNamePort)));
  sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_STREAM, kLocalhost, kNamePort)));
  sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_STREAM, kLocalhost, kDoorPort)));
  for (const std::uint16_t port : ports) sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_STREAM, kAny, port)));
  for (const std::uint16_t port : host_ports) {
    sockets.push_back(AGENTCTL_TRY(open_socket(SOCK_STREAM, kLocalhost, port)));
  }
  AGENTCTL_TRY_VOID(prove_lone_loopback());
  for (const std::string_view address : kOutside) AGENTCTL_TRY_VOID(prove_closed(address));
  return sockets;
}

}  // namespace agentctl::egress
