// SPDX-License-Identifier: Apache-2.0
#include "policy/address_class.h"

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

IpAddress address(std::string_view text) {
  const auto parsed = text.find(':') == std::string_view::npos ? parse_ipv4(text) : parse_ipv6(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

struct Row {
  std::string text;
  AddressClass kind;
};

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK_EQ(describe(classify(address(row.text))), describe(row.kind));
  }
}

TEST_SUITE("address_class") {
  TEST_CASE("an IPv4 address has the class that IANA gave its range, up to the last address of it") {
    using enum AddressClass;
    check({{"0.0.0.0", unspecified},
           {"0.255.255.255", unspecified},
           {"1.0.0.0", global},
           {"10.0.0.0", private_use},
           {"10.255.255.255", private_use},
           {"11.0.0.0", global},
           {"100.63.255.255", global},
           {"100.64.0.0", shared},
           {"100.127.255.255", shared},
           {"100.128.0.0", global},
           {"127.0.0.1", loopback},
           {"127.255.255.254", loopback},
           {"128.0.0.1", global},
           {"169.254.0.1", link_local},
           {"169.254.255.255", link_local},
           {"172.15.255.255", global},
           {"172.16.0.0", private_use},
           {"172.31.255.255", private_use},
           {"172.32.0.0", global},
           {"192.0.0.8", reserved},
           {"192.0.2.1", documentation},
           {"192.88.99.1", reserved},
           {"192.168.0.1", private_use},
           {"192.169.0.0", global},
           {"198.18.0.1", reserved},
           {"198.19.255.255", reserved},
           {"198.20.0.0", global},
           {"198.51.100.9", documentation},
           {"203.0.113.9", documentation},
           {"223.255.255.255", global},
           {"224.0.0.1", multicast},
           {"239.255.255.255", multicast},
           {"240.0.0.0", reserved},
           {"255.255.255.255", reserved},
           {"8.8.8.8", global},
           {"93.184.216.34", global}});
  }

  TEST_CASE("an IPv6 address outside of global unicast is not public, nor are the special ranges within it") {
    using enum AddressClass;
    check({{"::", unspecified},
           {"::1", loopback},
           {"fc00::1", private_use},
           {"fdff::1", private_use},
           {"fe80::1", link_local},
           {"febf::1", link_local},
           {"fec0::1", private_use},
           {"ff02::1", multicast},
           {"2001:db8::1", documentation},
           {"3fff::1", documentation},
           {"100::1", reserved},
           {"2001:2::1", reserved},
           {"4000::1", reserved},
           {"5f00::1", reserved},
           {"1::1", reserved},
           {"2606:4700::1111", global},
           {"2a00:1450:4001::1", global},
           {"3ffe::1", global}});
  }

  TEST_CASE("an IPv4 address in an IPv6 address is classified by what it is") {
    using enum AddressClass;
    check({{"::ffff:127.0.0.1", loopback},
           {"::ffff:10.0.0.1", private_use},
           {"::ffff:169.254.169.254", metadata},
           {"::ffff:0:127.0.0.1", loopback},
           {"::127.0.0.1", loopback},
           {"64:ff9b::127.0.0.1", loopback},
           {"64:ff9b::192.168.1.1", private_use},
           {"64:ff9b:1::10.0.0.1", private_use},
           {"2002:7f00:1::", loopback},
           {"2002:a00:1::1", private_use},
           {"2002:a9fe:a9fe::", metadata},
           {"2001:0:1:2:3:4:80ff:fffe", loopback},
           {"2a00::5efe:10.0.0.1", private_use},
           {"2a00::200:5efe:127.0.0.1", loopback},
           {"::ffff:8.8.8.8", translated},
           {"2002:808:808::1", translated},
           {"64:ff9b:1::8.8.8.8", translated},
           {"64:ff9b::8.8.8.8", global}});
  }

  TEST_CASE("where clouds keep credentials is told apart from the ranges around it") {
    for (const std::string text :
         {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"}) {
      CAPTURE(text);
      CHECK_EQ(describe(classify(address(text))), describe(AddressClass::metadata));
      CHECK(openness(address(text)) == Openness::exactly);
    }
  }

  TEST_CASE("only public addresses are open, and no rule opens the loopback or a disguise") {
    CHECK(openness(address("93.184.216.34")) == Openness::open);
    CHECK(openness(address("64:ff9b::8.8.8.8")) == Openness::open);
    for (const std::string text : {"10.0.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "203.0.113.1"}) {
      CAPTURE(text);
      CHECK(openness(address(text)) == Openness::ranges);
    }
    CHECK(openness(address("169.254.7.7")) == Openness::exactly);
    for (const std::string text :
         {"127.0.0.1", "::1", "0.0.0.0", "::", "224.0.0.1", "255.255.255.255", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
          "64:ff9b::10.0.0.1", "2002:a00:1::", "::ffff:8.8.8.8", "198.18.0.1"}) {
      CAPTURE(text);
      CHECK(openness(address(text)) == Openness::never);
    }
  }
}

}  // namespace
}  // namespace agentctl::policy
