// SPDX-License-Identifier: Apache-2.0
#include "egress/host_network.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "policy/address_class.h"

namespace agentctl::egress {
namespace {

using policy::IpAddress;
using policy::IpPrefix;

// None: of no family that matters.
std::optional<IpAddress> address_of(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    std::array<std::uint8_t, 4> bytes{};
    std::memcpy(bytes.data(), &v4.sin_addr, bytes.size());
    return IpAddress::v4(bytes);
  }
  if (address->sa_family != AF_INET6) return std::nullopt;
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  std::array<std::uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return IpAddress::v6(bytes);
}

unsigned length_of(const IpAddress& mask) {
  unsigned length = 0;
  for (const std::uint8_t byte : mask.bytes()) length += static_cast<unsigned>(std::popcount(byte));
  return length;
}

std::vector<std::string> words_of(std::string_view line) {
  std::istringstream stream{std::string(line)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

template <typename Fits>
bool has_line(std::string_view table, Fits fits) {
  bool found = false;
  for_each_part(table, '\n', [&](std::string_view line) { found = found || fits(words_of(line)); });
  return found;
}

}  // namespace

// Interface Destination Gateway Flags RefCnt Use Metric Mask …
bool has_default_route_v4(std::string_view table) {
  return has_line(table, [](const std::vector<std::string>& words) {
    return words.size() > 7 && words[1] == "00000000" && words[7] == "00000000";
  });
}

// Destination length source length next-hop metric references use flags interface; lo holds the route that refuses.
bool has_default_route_v6(std::string_view table) {
  return has_line(table, [](const std::vector<std::string>& words) {
    return words.size() > 9 && words[0] == std::string(32, '0') && words[1] == "00" && words[9] != "lo";
  });
}

Result<HostNetworks> read_near_networks() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return errno_error("cannot list the addresses of this machine");
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, ::freeifaddrs);
  HostNetworks near;
  for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
    const auto address = address_of(at->ifa_addr);
    const auto mask = address_of(at->ifa_netmask);
    if (!address || policy::classify(*address) == policy::AddressClass::loopback) continue;
    near.own.push_back(*address);
    const auto peer = (at->ifa_flags & IFF_POINTOPOINT) != 0 ? address_of(at->ifa_dstaddr) : std::nullopt;
    if (peer) near.own.push_back(*peer);
    if (mask && length_of(*mask) > 0) near.links.push_back(policy::prefix_of(*address, length_of(*mask)));
  }
  return near;
}

Result<HostNetwork> read_host_network() {
  HostNetwork network;
  network.near = AGENTCTL_TRY(read_near_networks());
  network.has_v4 = has_default_route_v4(AGENTCTL_TRY(read_file("/proc/net/route")));
  const auto v6 = read_file("/proc/net/ipv6_route");  // absent: a kernel without IPv6
  network.has_v6 = v6 && has_default_route_v6(*v6);
  return network;
}

}  // namespace agentctl::egress
