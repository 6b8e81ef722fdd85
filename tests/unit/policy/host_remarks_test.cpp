// SPDX-License-Identifier: Apache-2.0
#include "policy/host_remarks.h"

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

using Texts = std::vector<std::string>;

Policy with(NetworkMode mode, Entries allow, Entries deny = {}) {
  Policy policy;
  policy.network = Setting<NetworkMode>{mode, {"policy.toml", 2, 8}};
  policy.hosts.allow = std::move(allow);
  policy.hosts.deny = std::move(deny);
  return policy;
}

}  // namespace

TEST_SUITE("host_remarks") {
  TEST_CASE("a rule of the user's that opens more than one public host is told, one that opens one is not") {
    const Policy policy = with(NetworkMode::allowlist, {{"example.org", {"policy.toml", 3, 10}},
                                                        {"*.github.io", {"policy.toml", 3, 25}},
                                                        {"10.0.0.7:5432", {"--allow"}}});
    const Texts remarks = host_remarks(policy);
    REQUIRE_EQ(remarks.size(), 2);
    CHECK_EQ(
        remarks[0],
        "network: '*.github.io' (policy.toml:3:25) allows every host below 'github.io', where anybody can have one");
    CHECK(remarks[1].starts_with("network: '10.0.0.7:5432' (--allow) allows '10.0.0.7', "));
  }

  TEST_CASE("what we ship is not told of at each start") {
    CHECK(
        host_remarks(with(NetworkMode::allowlist, {{"*.cursor.sh", {"built-in profile cursor-agent", 9, 3}}})).empty());
  }

  TEST_CASE("an allowlist of nothing is told") {
    const Texts remarks = host_remarks(with(NetworkMode::allowlist, {}));
    REQUIRE_EQ(remarks.size(), 1);
    CHECK(remarks[0].starts_with("network: no host is allowed"));
  }

  TEST_CASE("a denial that the mode does not heed is told, and an allowed host that it does not need is not") {
    const Entries hosts = {{"*.example.org", {"policy.toml", 4, 9}}};
    for (const NetworkMode mode : {NetworkMode::nat, NetworkMode::host}) {
      const Texts remarks = host_remarks(with(mode, hosts, hosts));
      REQUIRE_EQ(remarks.size(), 1);
      CHECK(remarks[0].starts_with("network: '*.example.org' (policy.toml:4:9) in 'deny' has no effect"));
    }
    CHECK(host_remarks(with(NetworkMode::none, hosts, hosts)).empty());
    CHECK(host_remarks(with(NetworkMode::host, hosts, {{"x.org", {"built-in profile p", 1, 1}}})).empty());
  }

  TEST_CASE("text that is no rule cannot move the cursor") {
    const Texts remarks = host_remarks(with(NetworkMode::nat, {}, {{"\x1b[2J", {"a\x1b.toml", 1, 1}}}));
    REQUIRE_EQ(remarks.size(), 1);
    CHECK(remarks[0].find('\x1b') == std::string::npos);
  }
}

}  // namespace agentctl::policy
