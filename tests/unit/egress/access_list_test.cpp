// SPDX-License-Identifier: Apache-2.0
#include "egress/access_list.h"

#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

std::string verdict(const AccessList& list, std::string_view asked) {
  const policy::Endpoint wanted = endpoint(asked);
  const Verdict verdict = list.judge(wanted.host, wanted.port);
  const std::string rule = verdict.rule ? " " + to_string(*verdict.rule) : "";
  switch (verdict.kind) {
    case Verdict::Kind::allowed:
      return "allowed" + rule;
    case Verdict::Kind::denied:
      return "denied" + rule;
    case Verdict::Kind::other_port:
      return "other port" + rule;
    case Verdict::Kind::no_rule:
      return "no rule" + rule;
  }
  return {};
}

policy::HostRule rule(std::string_view text) { return *policy::parse_allow_rule(text); }

TEST_SUITE("access_list") {
  TEST_CASE("an empty list allows nothing") {
    const AccessList list = access({});
    CHECK_EQ(verdict(list, "example.com:443"), "no rule");
    CHECK_EQ(verdict(list, "93.184.216.34:443"), "no rule");
    CHECK_FALSE(list.may_resolve(*policy::parse_host_name("example.com")));
    CHECK_FALSE(AccessList().opens(address("10.0.0.1"), 443, false));
  }

  TEST_CASE("the rule that decides is told with its place") {
    const AccessList list = access({"example.com", "*.example.org:8443"});
    CHECK_EQ(verdict(list, "example.com:443"), "allowed 'example.com' (policy.toml:1:1)");
    CHECK_EQ(verdict(list, "a.example.org:8443"), "allowed '*.example.org:8443' (policy.toml:2:1)");
    CHECK_EQ(verdict(list, "example.net:443"), "no rule");
  }

  TEST_CASE("a rule without a port is for 80 and 443, with one for that alone") {
    const AccessList list = access({"example.com", "git.example:22"});
    CHECK_EQ(verdict(list, "example.com:80"), "allowed 'example.com' (policy.toml:1:1)");
    for (const std::string port : {"22", "25", "8080", "444", "1"}) {
      CHECK_EQ(verdict(list, "example.com:" + port), "other port 'example.com' (policy.toml:1:1)");
    }
    CHECK_EQ(verdict(list, "git.example:22"), "allowed 'git.example:22' (policy.toml:2:1)");
    CHECK_EQ(verdict(list, "git.example:443"), "other port 'git.example:22' (policy.toml:2:1)");
  }

  TEST_CASE("rules for several ports of a host add up") {
    const AccessList list = access({"example.com:22", "example.com"});
    CHECK_EQ(verdict(list, "example.com:22"), "allowed 'example.com:22' (policy.toml:1:1)");
    CHECK_EQ(verdict(list, "example.com:443"), "allowed 'example.com' (policy.toml:2:1)");
  }

  TEST_CASE("deny wins, on every port unless it names one") {
    const AccessList list = access({"*.example.com", "*.example.com:22"}, {"gist.example.com", "api.example.com:22"});
    CHECK_EQ(verdict(list, "gist.example.com:443"), "denied 'gist.example.com' (policy.toml:1:1)");
    CHECK_EQ(verdict(list, "gist.example.com:22"), "denied 'gist.example.com' (policy.toml:1:1)");
    CHECK_EQ(verdict(list, "api.example.com:22"), "denied 'api.example.com:22' (policy.toml:2:1)");
    CHECK_EQ(verdict(list, "api.example.com:443"), "allowed '*.example.com' (policy.toml:1:1)");
    CHECK_FALSE(list.may_resolve(*policy::parse_host_name("gist.example.com")));
    CHECK(list.may_resolve(*policy::parse_host_name("api.example.com")));
  }

  TEST_CASE("what is below a denied name stays allowed, unless the pattern says otherwise") {
    CHECK_EQ(verdict(access({"**.example.com"}, {"example.com"}), "a.example.com:443"),
             "allowed '**.example.com' (policy.toml:1:1)");
    CHECK_EQ(verdict(access({"**.example.com"}, {"*.example.com"}), "a.example.com:443"),
             "denied '*.example.com' (policy.toml:1:1)");
  }

  TEST_CASE("an address is opened by a rule for addresses, where it must be, by one for it alone") {
    const AccessList list = access({"10.0.0.0/8", "192.168.1.7:5432", "**.nip.io"});
    CHECK(list.opens(address("10.1.2.3"), 443, false));
    CHECK_FALSE(list.opens(address("10.1.2.3"), 443, true));
    CHECK_FALSE(list.opens(address("10.1.2.3"), 22, false));
    CHECK(list.opens(address("192.168.1.7"), 5432, true));
    CHECK_FALSE(list.opens(address("192.168.1.7"), 443, true));
    CHECK_FALSE(list.opens(address("192.168.1.8"), 5432, false));
  }

  TEST_CASE("a running session's list is changed both ways, and what a policy denies stays denied") {
    AccessList list = access({"example.com"}, {"evil.example"});
    list.allow(rule("new.example"));
    CHECK_EQ(verdict(list, "new.example:443"), "allowed 'new.example' (agentctl allow)");
    list.deny(rule("new.example"));
    CHECK_EQ(verdict(list, "new.example:443"), "denied 'new.example' (agentctl deny)");
    list.allow(rule("new.example"));
    CHECK_EQ(verdict(list, "new.example:443"), "allowed 'new.example' (agentctl allow)");
    list.allow(rule("evil.example"));
    CHECK_EQ(verdict(list, "evil.example:443"), "denied 'evil.example' (policy.toml:1:1)");
    list.deny(rule("example.com"));
    CHECK_EQ(verdict(list, "example.com:443"), "denied 'example.com' (agentctl deny)");
    list.allow(rule("example.com"));
    CHECK_EQ(verdict(list, "example.com:443"), "allowed 'example.com' (policy.toml:1:1)");
  }

  TEST_CASE("the same change made twice is there once") {
    AccessList list;
    list.allow(rule("a.example"));
    list.allow(rule("a.example"));
    CHECK_EQ(list.allowed().size(), 1);
    list.deny(rule("a.example"));
    CHECK(list.allowed().empty());
    CHECK_EQ(list.denied().size(), 1);
  }

  TEST_CASE("an entry that is no rule is an error with its place, fit for a terminal") {
    const auto list = AccessList::from(entries({"example.com", "https://\x1b[2J"}), {});
    REQUIRE_FALSE(list.has_value());
    CHECK_EQ(list.error().message,
             "policy.toml:2:1: 'https://\\x1b[2J' in 'allow' must be a host without scheme and path: 'example.com'");
    CHECK_FALSE(AccessList::from({}, entries({"*"})).has_value());
  }
}

}  // namespace
}  // namespace agentctl::egress
