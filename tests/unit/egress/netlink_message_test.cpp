// SPDX-License-Identifier: Apache-2.0
#include "egress/netlink_message.h"

#include <doctest/doctest.h>
#include <linux/rtnetlink.h>

#include "egress/route_messages.h"

namespace agentctl::egress {
namespace {

std::uint16_t number_at(const std::string& data, std::size_t at) {
  std::uint16_t number = 0;
  std::memcpy(&number, data.data() + at, sizeof number);
  return number;
}

}  // namespace

TEST_SUITE("netlink_message") {
  TEST_CASE("lengths are those of the content, and everything begins at a multiple of four") {
    NetlinkMessage message(RTM_NEWROUTE, NLM_F_ACK);
    message.text(1, "ab").nest(2, [](NetlinkMessage& inner) { inner.number_be32(3, 0x01020304); });
    const std::string& data = message.finish(7);
    REQUIRE(data.size() == 16 + 8 + 4 + 8);
    CHECK(number_at(data, 0) == data.size());
    CHECK(number_at(data, 16) == 4 + 3);  // "ab" and its NUL
    CHECK(number_at(data, 24) == 4 + 8);
    CHECK(number_at(data, 26) == (2 | NLA_F_NESTED));
    CHECK(number_at(data, 28) == 8);
    CHECK(data.substr(32, 4) == std::string("\x01\x02\x03\x04"));
  }

  TEST_CASE("an answer about a route that is cut short or lies about its lengths has no interface") {
    NetlinkMessage made = make_route({*policy::parse_ipv4("10.0.0.0"), 8}, *policy::parse_ipv4("192.0.2.1"), 5);
    const std::string whole = made.finish(1).substr(sizeof(nlmsghdr));
    CHECK(interface_of(whole) == 5);
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(interface_of(whole.substr(0, size)));
    for (std::size_t at = sizeof(rtmsg); at < whole.size(); ++at) {
      std::string changed = whole;
      changed[at] = '\xff';
      (void)interface_of(changed);  // ends
    }
  }
}

}  // namespace agentctl::egress
