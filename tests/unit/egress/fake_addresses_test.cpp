// SPDX-License-Identifier: Apache-2.0
#include "egress/fake_addresses.h"

#include <set>

#include "base/text.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

policy::HostName name(std::string_view text) { return *policy::parse_host_name(text); }
policy::IpPrefix pool(std::string_view first, unsigned length) { return policy::prefix_of(address(first), length); }

TEST_SUITE("fake_addresses") {
  TEST_CASE("a name keeps its address, and the address leads back to it") {
    FakeAddresses fakes(pool("127.1.0.0", 16), 100);
    const auto first = fakes.address_of(name("a.example"));
    REQUIRE(first.has_value());
    CHECK_EQ(policy::to_string(*first), "127.1.0.1");
    CHECK_EQ(policy::to_string(*fakes.address_of(name("b.example"))), "127.1.0.2");
    CHECK(fakes.address_of(name("A.example.")) == first);
    CHECK_EQ(fakes.name_of(*first)->text(), "a.example");
    CHECK_EQ(fakes.size(), 2);
  }

  TEST_CASE("an address that was not given out stands for no name") {
    FakeAddresses fakes(pool("127.1.0.0", 16), 100);
    (void)fakes.address_of(name("a.example"));
    for (const std::string text :
         {"127.1.0.0", "127.1.0.2", "127.1.255.255", "127.0.0.1", "127.2.0.1", "10.0.0.1", "::1", "::7f01:1"}) {
      CAPTURE(text);
      CHECK_FALSE(fakes.name_of(address(text)).has_value());
    }
    CHECK(fakes.covers(address("127.1.255.255")));
    CHECK_FALSE(fakes.covers(address("127.2.0.1")));
    CHECK_FALSE(fakes.covers(address("::ffff:127.1.0.1")));
  }

  TEST_CASE("when all are given out, the name that was not asked for the longest loses its own") {
    FakeAddresses fakes(pool("127.1.0.0", 16), 2);
    const auto a = *fakes.address_of(name("a.example"));
    const auto b = *fakes.address_of(name("b.example"));
    (void)fakes.address_of(name("a.example"));
    CHECK(*fakes.address_of(name("c.example")) == b);
    CHECK_EQ(fakes.name_of(b)->text(), "c.example");
    CHECK_EQ(fakes.name_of(a)->text(), "a.example");
    CHECK(*fakes.address_of(name("b.example")) == a);
    CHECK_EQ(fakes.size(), 2);
  }

  TEST_CASE("no two names share an address, however many come") {
    FakeAddresses fakes(pool("198.18.0.0", 24), 1000);
    std::set<policy::IpAddress> given;
    for (int i = 0; i < 254; ++i) given.insert(*fakes.address_of(name(cat("n", i, ".example"))));
    CHECK_EQ(given.size(), 254);
    for (int i = 254; i < 5000; ++i) {
      const policy::HostName asked = name(cat("n", i, ".example"));
      const auto got = *fakes.address_of(asked);
      CHECK(given.contains(got));
      CHECK(*fakes.name_of(got) == asked);
    }
    CHECK_EQ(fakes.size(), 254);
  }

  TEST_CASE("a pool without room, or of IPv6, gives none") {
    for (const policy::IpPrefix& empty : {pool("127.1.0.0", 31), pool("127.1.0.0", 32), pool("fd00::", 64)}) {
      FakeAddresses fakes(empty, 100);
      CHECK_FALSE(fakes.address_of(name("a.example")).has_value());
    }
    FakeAddresses none(pool("127.1.0.0", 16), 0);
    CHECK_FALSE(none.address_of(name("a.example")).has_value());
    FakeAddresses one(pool("127.1.0.0", 30), 1);
    CHECK(one.address_of(name("a.example")) == one.address_of(name("b.example")));
    CHECK_EQ(one.size(), 1);
  }
}

}  // namespace
}  // namespace agentctl::egress
