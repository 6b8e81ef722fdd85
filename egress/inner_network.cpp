// SPDX-License-Identifier: Apache-2.0
#include "egress/inner_network.h"

#include <algorithm>
#include <string_view>

namespace agentctl::egress {
namespace {

using policy::IpPrefix;

constexpr unsigned kLength4 = 30;
constexpr unsigned kLength6 = 64;

struct Pair {
  std::string_view address, gateway;
};
constexpr Pair kPairs4[] = {
    {"198.51.100.2", "198.51.100.1"}, {"203.0.113.2", "203.0.113.1"}, {"192.0.2.2", "192.0.2.1"}};
constexpr Pair kPair6 = {"fd61:6765:6e74::2", "fd61:6765:6e74::1"};

bool overlap(const IpPrefix& one, const IpPrefix& other) { return one.contains(other) || other.contains(one); }

}  // namespace

InnerNetwork choose_inner_network(const HostNetworks& host, bool v4, bool v6) {
  InnerNetwork inner;
  for (const Pair& pair : kPairs4) {
    if (!v4 || inner.v4) break;
    const InnerAddresses addresses{*policy::parse_ipv4(pair.address), *policy::parse_ipv4(pair.gateway), kLength4};
    const IpPrefix network = policy::prefix_of(addresses.address, kLength4);
    const auto is_far = [&](const IpPrefix& other) { return !overlap(network, other); };
    const bool is_free =
        std::all_of(host.links.begin(), host.links.end(), is_far) &&
        std::none_of(host.own.begin(), host.own.end(), [&](const auto& own) { return network.contains(own); });
    if (is_free) inner.v4 = addresses;
  }
  if (v6) inner.v6 = {*policy::parse_ipv6(kPair6.address), *policy::parse_ipv6(kPair6.gateway), kLength6};
  return inner;
}

}  // namespace agentctl::egress
