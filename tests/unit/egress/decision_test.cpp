// SPDX-License-Identifier: Apache-2.0
#include "egress/decision.h"

#include <vector>

#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

FakeAddresses no_fakes() { return {policy::prefix_of(address("127.1.0.0"), 16), 16}; }

std::string told(const std::variant<Permit, Denial>& decision) {
  if (const auto* denial = std::get_if<Denial>(&decision)) return explain(*denial);
  const Permit& permit = std::get<Permit>(decision);
  return policy::to_string(permit.endpoint) + " by " + to_string(permit.rule);
}

std::string decided(const AccessList& list, std::string_view asked) {
  return told(decide(list, no_fakes(), endpoint(asked)));
}

Permit permit(const AccessList& list, std::string_view asked) {
  auto decision = decide(list, no_fakes(), endpoint(asked));
  REQUIRE(std::holds_alternative<Permit>(decision));
  return std::get<Permit>(std::move(decision));
}

struct Choice {
  std::vector<std::string> targets;
  Denial denial;
};

Choice choose(const AccessList& list, std::string_view asked, std::initializer_list<const char*> resolved,
              const HostNetworks& networks = {}) {
  std::vector<policy::IpAddress> addresses;
  for (const char* text : resolved) addresses.push_back(address(text));
  auto chosen = choose_targets(list, networks, permit(list, asked), addresses);
  if (auto* denial = std::get_if<Denial>(&chosen)) return {{}, std::move(*denial)};
  Choice choice;
  for (const policy::IpAddress& target : std::get<0>(chosen)) choice.targets.push_back(policy::to_string(target));
  return choice;
}

std::string fault(const std::optional<Denial>& denial) { return denial ? explain(*denial) : "fine"; }

using Texts = std::vector<std::string>;

TEST_SUITE("decision") {
  TEST_CASE("an allowed host is permitted, and what may be in the connection follows from the port") {
    const AccessList list = access({"example.com", "git.example:22"});
    CHECK_EQ(decided(list, "example.com:443"), "example.com:443 by 'example.com' (policy.toml:1:1)");
    CHECK(permit(list, "example.com:443").carries == Carries::tls);
    CHECK(permit(list, "example.com:80").carries == Carries::http);
    CHECK(permit(list, "git.example:22").carries == Carries::anything);
  }

  TEST_CASE("a denial says why, and what the user can type") {
    const AccessList list = access({"example.com"}, {"evil.example"});
    const auto denied = [&](std::string_view asked) {
      return std::get<Denial>(decide(list, no_fakes(), endpoint(asked)));
    };
    CHECK_EQ(explain(denied("other.example:443")), "'other.example:443' is denied: no rule allows it");
    CHECK_EQ(remedy(denied("other.example:443"), "claude-webshop"), "agentctl allow claude-webshop other.example");
    CHECK_EQ(explain(denied("example.com:22")),
             "'example.com:22' is denied: the rule 'example.com' (policy.toml:1:1) is for other ports");
    CHECK_EQ(remedy(denied("example.com:22"), "s"), "agentctl allow s example.com:22");
    CHECK_EQ(explain(denied("evil.example:443")),
             "'evil.example:443' is denied: the deny rule 'evil.example' (policy.toml:1:1) names it");
    CHECK_EQ(remedy(denied("evil.example:443"), "s"), "");
    CHECK_EQ(remedy(denied("93.184.216.34:443"), "s"), "agentctl allow s 93.184.216.34");
    CHECK_EQ(remedy(denied("[2606:4700::1111]:8443"), "s"), "agentctl allow s '[2606:4700::1111]:8443'");
  }

  TEST_CASE("nothing is offered where no rule would help") {
    const AccessList list = access({"example.com"});
    for (const std::string asked :
         {"localhost:80", "127.0.0.1:80", "[::1]:5432", "[::ffff:127.0.0.1]:80", "0.0.0.0:80", "a.localhost:443"}) {
      CAPTURE(asked);
      const Denial denial = std::get<Denial>(decide(list, no_fakes(), endpoint(asked)));
      CHECK(denial.reason == Reason::no_rule);
      CHECK_EQ(remedy(denial, "s"), "");
    }
  }

  TEST_CASE("what resembles an allowed host is denied before anything is looked up") {
    const AccessList list = access({"example.com", "*.allowed.example"});
    for (const std::string asked :
         {"evil-example.com:443", "example.com.evil.net:443", "www.example.com:443", "allowed.example:443",
          "evil-allowed.example:443", "localhost:443", "127.0.0.1.nip.io:443", "[::ffff:127.0.0.1]:443",
          "93.184.216.34:443", "xn--exmple-cua.com:443"}) {
      CAPTURE(asked);
      CHECK(std::holds_alternative<Denial>(decide(list, no_fakes(), endpoint(asked))));
      const auto host = policy::parse_host_and_port(asked)->host;
      if (const auto* name = std::get_if<policy::HostName>(&host)) CHECK(decide_lookup(list, *name).has_value());
    }
    CHECK_FALSE(decide_lookup(list, *policy::parse_host_name("EXAMPLE.com.")).has_value());
  }

  TEST_CASE("a name that may not be looked up is denied by its rule, without a port") {
    const AccessList list = access({"example.com:22"}, {"evil.example"});
    CHECK_FALSE(decide_lookup(list, *policy::parse_host_name("example.com")).has_value());
    CHECK_EQ(fault(decide_lookup(list, *policy::parse_host_name("other.example"))),
             "'other.example' is denied: no rule allows it");
    CHECK_EQ(fault(decide_lookup(list, *policy::parse_host_name("evil.example"))),
             "'evil.example' is denied: the deny rule 'evil.example' (policy.toml:1:1) names it");
  }

  TEST_CASE("an address of the stub's means the name that it stands for") {
    const AccessList list = access({"example.com"});
    FakeAddresses fakes = no_fakes();
    const auto fake = *fakes.address_of(*policy::parse_host_name("example.com"));
    const auto denied = *fakes.address_of(*policy::parse_host_name("evil.example"));
    CHECK_EQ(told(decide(list, fakes, {fake, 443})), "example.com:443 by 'example.com' (policy.toml:1:1)");
    CHECK_EQ(told(decide(list, fakes, {denied, 443})), "'evil.example:443' is denied: no rule allows it");
    CHECK_EQ(told(decide(list, fakes, endpoint("127.1.0.9:443"))),
             "'127.1.0.9:443' is denied: the address stands for no name; look the name up again");
  }

  TEST_CASE("only public addresses of a name are connected to, however they are mixed") {
    const AccessList list = access({"example.com"});
    CHECK_EQ(choose(list, "example.com:443", {"93.184.216.34", "2606:4700::1111"}).targets,
             Texts{"93.184.216.34", "2606:4700::1111"});
    CHECK_EQ(choose(list, "example.com:443", {"10.0.0.1", "93.184.216.34", "::1", "169.254.169.254"}).targets,
             Texts{"93.184.216.34"});
    for (const char* closed :
         {"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "224.0.0.1",
          "255.255.255.255", "::1", "::", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "::ffff:93.184.216.34",
          "64:ff9b::10.0.0.1", "2002:7f00:1::", "100.100.100.200", "fd00:ec2::254"}) {
      const std::string shown = closed;
      CAPTURE(shown);
      CHECK(choose(list, "example.com:443", {closed}).denial.reason == Reason::private_address);
    }
  }

  TEST_CASE("a name that leads inward says where, and what would open it") {
    const AccessList list = access({"**.nip.io", "gitlab.corp:22"});
    const Denial loopback = choose(list, "127.0.0.1.nip.io:443", {"127.0.0.1"}).denial;
    CHECK_EQ(explain(loopback), "'127.0.0.1.nip.io:443' is denied: it leads to 127.0.0.1, the loopback");
    CHECK_EQ(remedy(loopback, "s"), "");
    const Denial lan = choose(list, "gitlab.corp:22", {"10.0.0.7"}).denial;
    CHECK_EQ(explain(lan), "'gitlab.corp:22' is denied: it leads to 10.0.0.7, a private address");
    CHECK_EQ(remedy(lan, "s"), "agentctl allow s 10.0.0.7:22");
  }

  TEST_CASE("a private address is connected to where a rule names it and its port") {
    const AccessList list = access({"gitlab.corp", "10.0.0.0/8", "169.254.169.254"});
    CHECK_EQ(choose(list, "gitlab.corp:443", {"10.0.0.7"}).targets, Texts{"10.0.0.7"});
    CHECK_EQ(choose(list, "10.0.0.7:443", {"10.0.0.7"}).targets, Texts{"10.0.0.7"});
    CHECK(choose(list, "gitlab.corp:443", {"192.168.0.7"}).targets.empty());
    CHECK_EQ(choose(list, "gitlab.corp:443", {"169.254.169.254"}).targets, Texts{"169.254.169.254"});
    CHECK(choose(access({"a.example", "169.254.169.254:8080"}), "a.example:443", {"169.254.169.254"}).targets.empty());
    CHECK(choose(access({"a.example", "100.64.0.0/10"}), "a.example:443", {"100.100.100.200"}).targets.empty());
  }

  TEST_CASE("a denied address is not connected to, though the name is allowed") {
    const AccessList list = access({"example.com"}, {"93.184.216.0/24"});
    const Choice choice = choose(list, "example.com:443", {"93.184.216.34"});
    CHECK_EQ(explain(choice.denial),
             "'example.com:443' is denied: the deny rule '93.184.216.0/24' (policy.toml:1:1) names it");
    CHECK_EQ(choose(list, "example.com:443", {"93.184.216.34", "93.184.217.1"}).targets, Texts{"93.184.217.1"});
  }

  TEST_CASE("this machine's own public address, and its neighbours', are not the public internet") {
    const HostNetworks networks{{address("198.41.0.5"), address("2a00:1::5")},
                                {policy::prefix_of(address("2a00:1::"), 64)}};
    const AccessList list = access({"example.com"});
    CHECK_EQ(explain(choose(list, "example.com:443", {"198.41.0.5"}, networks).denial),
             "'example.com:443' is denied: it leads to 198.41.0.5, an address of this machine");
    CHECK_EQ(explain(choose(list, "example.com:443", {"2a00:1::9"}, networks).denial),
             "'example.com:443' is denied: it leads to 2a00:1::9, an address of the local network");
    CHECK_EQ(choose(list, "example.com:443", {"2a00:2::9"}, networks).targets, Texts{"2a00:2::9"});
    const AccessList range = access({"example.com", "198.41.0.0/24", "[2a00:1::/64]"});
    CHECK(choose(range, "example.com:443", {"198.41.0.5"}, networks).targets.empty());
    CHECK_EQ(choose(range, "example.com:443", {"2a00:1::9"}, networks).targets, Texts{"2a00:1::9"});
    CHECK_EQ(choose(access({"example.com", "198.41.0.5"}), "example.com:443", {"198.41.0.5"}, networks).targets,
             Texts{"198.41.0.5"});
  }

  TEST_CASE("no more than sixteen addresses are tried, and a name without any failed") {
    const AccessList list = access({"example.com"});
    std::vector<policy::IpAddress> many(100, address("93.184.216.34"));
    const auto chosen = choose_targets(list, {}, permit(list, "example.com:443"), many);
    CHECK_EQ(std::get<0>(chosen).size(), kMostTargets);
    CHECK_EQ(explain(choose(list, "example.com:443", {}).denial), "'example.com:443' failed: the name has no address");
  }

  TEST_CASE("TLS must name the host that was asked for") {
    const AccessList list = access({"example.com", "other.example", "git.example:22"});
    const Permit tls = permit(list, "example.com:443");
    CHECK_EQ(fault(check_named_host(list, tls, endpoint("example.com:443"), Reason::server_name)), "fine");
    CHECK_EQ(fault(check_named_host(list, tls, endpoint("other.example:443"), Reason::server_name)),
             "'example.com:443' is denied: TLS names another host, 'other.example:443'");
    CHECK_EQ(fault(check_unnamed_tls(tls)), "'example.com:443' is denied: TLS names no host (no server name is sent)");
    CHECK_EQ(fault(check_unnamed_tls(permit(list, "git.example:22"))), "fine");
  }

  TEST_CASE("HTTP without TLS goes to no port that is for TLS") {
    const AccessList list = access({"example.com", "example.com:8080"});
    CHECK_EQ(fault(check_plain_http(permit(list, "example.com:443"))),
             "'example.com:443' is denied: HTTP without TLS is not sent to port 443");
    CHECK_EQ(fault(check_plain_http(permit(list, "example.com:80"))), "fine");
    CHECK_EQ(fault(check_plain_http(permit(list, "example.com:8080"))), "fine");
  }

  TEST_CASE("HTTP must name the host and the port that were asked for") {
    const AccessList list = access({"example.com", "other.example"});
    const Permit http = permit(list, "example.com:80");
    CHECK_EQ(fault(check_named_host(list, http, endpoint("example.com:80"), Reason::host_field)), "fine");
    for (const std::string named : {"other.example:80", "example.com:8080", "93.184.216.34:80", "www.example.com:80"}) {
      CAPTURE(named);
      const auto denial = check_named_host(list, http, endpoint(named), Reason::host_field);
      REQUIRE(denial.has_value());
      CHECK(denial->reason == Reason::host_field);
    }
  }

  TEST_CASE("behind a bare address that is allowed, a name must be allowed itself, or be none") {
    const AccessList list = access({"93.184.216.34", "example.com", "git.example:22"});
    const Permit bare = permit(list, "93.184.216.34:443");
    CHECK_EQ(fault(check_unnamed_tls(bare)), "fine");
    CHECK_EQ(fault(check_named_host(list, bare, endpoint("example.com:443"), Reason::server_name)), "fine");
    CHECK_EQ(fault(check_named_host(list, bare, endpoint("evil.example:443"), Reason::server_name)),
             "'evil.example:443' is denied: no rule allows it");
    CHECK_NE(fault(check_named_host(list, bare, endpoint("git.example:443"), Reason::server_name)), "fine");
    CHECK_NE(fault(check_named_host(list, bare, endpoint("93.184.216.35:443"), Reason::host_field)), "fine");
  }
}

}  // namespace
}  // namespace agentctl::egress
