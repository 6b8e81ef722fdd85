// SPDX-License-Identifier: Apache-2.0
#include "egress/closed_prefixes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace agentctl::egress {
namespace {

using policy::IpAddress;
using policy::IpPrefix;

struct Range {
  std::string_view address;
  unsigned length;
};

// What policy/address_class.h calls anything but global. The loopback, too: a socket that is bound to the interface
// sends to it by way of that, and pasta would go on to the host's.
constexpr Range kRanges4[] = {
    {"0.0.0.0", 8},      {"10.0.0.0", 8},     {"100.64.0.0", 10}, {"127.0.0.0", 8},
    {"169.254.0.0", 16}, {"172.16.0.0", 12},  {"192.0.0.0", 24},  {"192.0.2.0", 24},
    {"192.88.99.0", 24}, {"192.168.0.0", 16}, {"198.18.0.0", 15}, {"198.51.100.0", 24},
    {"203.0.113.0", 24}, {"224.0.0.0", 4},    {"240.0.0.0", 4},   {"168.63.129.16", 32},
};
constexpr Range kRanges6[] = {
    {"::", 3},      {"4000::", 2},      {"8000::", 1},  // all but 2000::/3
    {"fc00::", 7},  {"fe80::", 10},     {"ff00::", 8},  // of these, what a session would try: each is proven
    {"2001::", 23}, {"2001:db8::", 32}, {"2002::", 16}, {"3fff::", 20},
};
constexpr Range kNat64 = {"64:ff9b::", 96};

IpPrefix prefix(const Range& range) {
  const auto v4 = policy::parse_ipv4(range.address);
  return {v4 ? *v4 : *policy::parse_ipv6(range.address), range.length};
}

IpPrefix behind_nat64(const IpPrefix& v4) {
  std::array<std::uint8_t, 16> bytes{};
  const IpPrefix nat64 = prefix(kNat64);
  std::copy(nat64.address.bytes().begin(), nat64.address.bytes().end(), bytes.begin());
  std::copy(v4.address.bytes().begin(), v4.address.bytes().end(), bytes.begin() + 12);
  return {IpAddress::v6(bytes), kNat64.length + v4.length};
}

}  // namespace

ClosedPrefixes closed_prefixes(const HostNetworks& host) {
  ClosedPrefixes closed{{}, {}, prefix(kNat64), {}};
  for (const Range& range : kRanges4) closed.v4.push_back(prefix(range));
  for (const Range& range : kRanges6) closed.v6.push_back(prefix(range));
  const auto close = [&closed](const IpPrefix& range) {
    (range.address.is_v4() ? closed.v4 : closed.v6).push_back(range);
  };
  for (const IpAddress& own : host.own) close(policy::single(own));
  for (const IpPrefix& link : host.links) close(link);
  for (const IpPrefix& range : closed.v4) closed.v6_first.push_back(behind_nat64(range));
  return closed;
}

}  // namespace agentctl::egress
