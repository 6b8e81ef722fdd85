// SPDX-License-Identifier: Apache-2.0
#include "policy/ip_address.h"

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

std::string read(std::string_view text) {
  auto address = parse_ipv4(text);
  if (!address) address = parse_ipv6(text);
  return address ? to_string(*address) : "refused";
}

TEST_SUITE("ip_address") {
  TEST_CASE("an address is read in its one notation and written in the shortest") {
    CHECK_EQ(read("192.0.2.7"), "192.0.2.7");
    CHECK_EQ(read("0.0.0.0"), "0.0.0.0");
    CHECK_EQ(read("255.255.255.255"), "255.255.255.255");
    CHECK_EQ(read("2001:DB8:0:0:0:0:0:7"), "2001:db8::7");
    CHECK_EQ(read("::"), "::");
    CHECK_EQ(read("::ffff:192.0.2.7"), "::ffff:192.0.2.7");
  }

  TEST_CASE("what only inet_aton(3) calls an address is none") {
    for (const std::string text :
         {"127.1",    "127.0.1",   "2130706433", "0x7f000001", "0x7f.1",   "0177.0.0.1", "127.0.0.01",
          "1.2.3",    "1.2.3.4.5", "1.2.3.",     ".1.2.3.4",   "1.2.3.4.", "256.1.1.1",  "1.2.3.-4",
          "+1.2.3.4", " 1.2.3.4",  "1.2.3.4 ",   "1..3.4",     "",         "1.2.3.0x4"}) {
      CAPTURE(text);
      CHECK_EQ(read(text), "refused");
    }
  }

  TEST_CASE("an IPv6 address has no zone, no brackets, one gap and nothing behind it") {
    for (const std::string text :
         {"fe80::1%eth0", "fe80::1%25eth0", "[::1]", "1::2::3", ":::", ":1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9",
          "::1/128", "::g", "::12345", "::ffff:127.1", "::ffff:0177.0.0.1", "::1 "}) {
      CAPTURE(text);
      CHECK_EQ(read(text), "refused");
    }
    CHECK_FALSE(parse_ipv6(std::string_view("::1\0", 4)).has_value());
    CHECK_FALSE(parse_ipv4(std::string_view("1.2.3.4\0x", 9)).has_value());
  }

  TEST_CASE("a range holds what agrees in its bits, and nothing of the other family") {
    const IpPrefix ten = prefix_of(*parse_ipv4("10.9.8.7"), 8);
    CHECK_EQ(to_string(ten), "10.0.0.0/8");
    CHECK(ten.contains(*parse_ipv4("10.255.255.255")));
    CHECK_FALSE(ten.contains(*parse_ipv4("11.0.0.0")));
    CHECK_FALSE(ten.contains(*parse_ipv6("a00::")));
    CHECK_FALSE(ten.contains(*parse_ipv6("::ffff:10.0.0.1")));
    const IpPrefix odd = prefix_of(*parse_ipv6("2001:db8:ffff::"), 33);
    CHECK_EQ(to_string(odd), "2001:db8:8000::/33");
    CHECK(odd.contains(*parse_ipv6("2001:db8:8000::1")));
    CHECK_FALSE(odd.contains(*parse_ipv6("2001:db8:7fff::1")));
    CHECK(prefix_of(*parse_ipv4("1.2.3.4"), 0).contains(*parse_ipv4("254.0.0.1")));
  }

  TEST_CASE("a range holds the ranges within it, and a single address is a range of one") {
    const IpPrefix wide = prefix_of(*parse_ipv4("10.0.0.0"), 8);
    CHECK(wide.contains(prefix_of(*parse_ipv4("10.1.0.0"), 16)));
    CHECK(wide.contains(wide));
    CHECK_FALSE(prefix_of(*parse_ipv4("10.1.0.0"), 16).contains(wide));
    CHECK(single(*parse_ipv4("10.1.2.3")).is_single());
    CHECK_EQ(to_string(single(*parse_ipv6("fd00::1"))), "fd00::1");
    CHECK_FALSE(single(*parse_ipv4("10.1.2.3")).contains(*parse_ipv4("10.1.2.2")));
  }
}

}  // namespace
}  // namespace agentctl::policy
