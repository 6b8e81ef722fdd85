// SPDX-License-Identifier: Apache-2.0
#include "egress/closed_prefixes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "policy/address_class.h"

namespace agentctl::egress {
namespace {

using policy::AddressClass;
using policy::IpAddress;
using policy::IpPrefix;

constexpr unsigned kSeed = 4;
constexpr int kSamples = 20'000;

bool holds(const std::vector<IpPrefix>& ranges, const IpAddress& address) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const IpPrefix& range) { return range.contains(address); });
}

bool is_closed(const ClosedPrefixes& closed, const IpAddress& address) {
  if (address.is_v4()) return holds(closed.v4, address);
  if (holds(closed.v6_first, address)) return true;
  return !closed.v6_open.contains(address) && holds(closed.v6, address);
}

IpAddress v4(const char* text) { return *policy::parse_ipv4(text); }
IpAddress v6(const char* text) { return *policy::parse_ipv6(text); }

}  // namespace

TEST_SUITE("closed_prefixes") {
  TEST_CASE("every IPv4 address is closed that is not of the public internet, and no other") {
    const ClosedPrefixes closed = closed_prefixes({});
    std::mt19937 random(kSeed);
    std::uniform_int_distribution<int> byte(0, 255);
    for (int count = 0; count < kSamples; ++count) {
      std::array<std::uint8_t, 4> bytes{};
      for (std::uint8_t& one : bytes) one = static_cast<std::uint8_t>(byte(random));
      const IpAddress address = IpAddress::v4(bytes);
      const AddressClass kind = policy::classify(address);
      CAPTURE(to_string(address));
      CHECK(is_closed(closed, address) == (kind != AddressClass::global));
    }
    for (const char* text : {"127.0.0.1", "169.254.169.254", "168.63.129.16", "100.100.100.200", "10.0.0.1",
                             "192.168.1.1", "255.255.255.255", "224.0.0.251", "0.0.0.0", "172.31.255.255"}) {
      CAPTURE(text);
      CHECK(is_closed(closed, v4(text)));
    }
    for (const char* text : {"1.1.1.1", "168.63.129.17", "172.32.0.1", "11.0.0.1", "100.128.0.1"}) {
      CAPTURE(text);
      CHECK_FALSE(is_closed(closed, v4(text)));
    }
  }

  TEST_CASE("an IPv6 address that leads to a closed IPv4 address is closed, and NAT64 to a public one is not") {
    const ClosedPrefixes closed = closed_prefixes({});
    for (const char* text : {"64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "::ffff:10.0.0.1",
                             "2002:a00:1::1", "2001:0:1::1", "64:ff9b:1::a00:1", "fd00:ec2::254", "fe80::1", "ff02::fb",
                             "fec0::1", "2001:db8::1", "3fff::1", "::2", "4000::1"}) {
      CAPTURE(text);
      CHECK(is_closed(closed, v6(text)));
    }
    for (const char* text :
         {"64:ff9b::101:101", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888"}) {
      CAPTURE(text);
      CHECK_FALSE(is_closed(closed, v6(text)));
    }
  }

  TEST_CASE("the networks to which the host is attached are closed, public ones too") {
    const ClosedPrefixes closed = closed_prefixes(
        {{v6("2a00:1450::7")}, {policy::prefix_of(v4("8.8.4.0"), 24), policy::prefix_of(v6("2a00:1450::"), 64)}});
    CHECK(is_closed(closed, v4("8.8.4.4")));
    CHECK_FALSE(is_closed(closed, v4("8.8.5.4")));
    CHECK(is_closed(closed, v6("2a00:1450::1:2")));
    CHECK(is_closed(closed, v6("64:ff9b::808:404")));
    CHECK_FALSE(is_closed(closed, v6("2a00:1450:0:1::2")));
  }
}

}  // namespace agentctl::egress
