// SPDX-License-Identifier: Apache-2.0
#include "manager/session_hosts.h"

#include <doctest/doctest.h>

namespace agentctl::manager {
namespace {

using Texts = std::vector<std::string>;

policy::HostRule rule(const char* text) { return policy::parse_deny_rule(text).value(); }

SessionHosts hosts_of(const Texts& allow, const Texts& deny) {
  policy::Entries allowed, denied;
  for (const std::string& text : allow) allowed.push_back({text, {"policy.toml", 3, 10}});
  for (const std::string& text : deny) denied.push_back({text, {"policy.toml", 4, 9}});
  return SessionHosts(egress::AccessList::from(allowed, denied).value(), {});
}

Record record_of(const SessionHosts& hosts) {
  Record record;
  hosts.write_to(record);
  return record;
}

std::string refusal(const SessionHosts& hosts, const char* text) {
  const auto checked = hosts.check_allow(rule(text));
  return checked ? "allowed" : checked.error().message;
}

}  // namespace

TEST_SUITE("session_hosts") {
  TEST_CASE("a port of the host's that is reached inside is the door's") {
    const SessionHosts hosts(egress::AccessList::from({}, {}).value(), {11434});
    CHECK(hosts.door_ports().contains(11434));
    CHECK(hosts.door_ports().contains(egress::kDoorPort));
  }

  TEST_CASE("the record has the rules in force, and which of them were added since the start") {
    SessionHosts hosts = hosts_of({"a.example", "*.b.example"}, {"c.example"});
    CHECK(record_of(hosts).hosts_allowed == Texts{"a.example", "*.b.example"});
    CHECK(record_of(hosts).hosts_changed.empty());
    hosts.allow(rule("d.example:22"));
    hosts.deny(rule("x.b.example"));
    const Record record = record_of(hosts);
    CHECK(record.hosts_allowed == Texts{"a.example", "*.b.example", "d.example:22"});
    CHECK(record.hosts_denied == Texts{"c.example", "x.b.example"});
    CHECK(record.hosts_changed == Texts{"allow d.example:22", "deny x.b.example"});
  }

  TEST_CASE("what is taken back is no longer in the record") {
    SessionHosts hosts = hosts_of({"a.example"}, {});
    hosts.allow(rule("d.example"));
    hosts.deny(rule("d.example"));
    CHECK(record_of(hosts).hosts_allowed == Texts{"a.example"});
    CHECK(record_of(hosts).hosts_denied == Texts{"d.example"});
    hosts.allow(rule("d.example"));
    CHECK(record_of(hosts).hosts_denied.empty());
  }

  TEST_CASE("the ports at which the door listens are known, those of rules that were added and are gone again too") {
    using Ports = std::set<std::uint16_t>;
    SessionHosts hosts = hosts_of({"a.example", "b.example:8443", "c.example:8443"}, {"d.example:9000"});
    CHECK(hosts.door_ports() == Ports{53, 80, 443, 3128, 8443});
    hosts.allow(rule("e.example:22"));
    hosts.deny(rule("e.example:22"));
    CHECK(hosts.door_ports() == Ports{22, 53, 80, 443, 3128, 8443});
  }

  TEST_CASE("allowing what a denial keeps closed is refused with that denial") {
    const SessionHosts hosts = hosts_of({}, {"**.a.example", "b.example:443", "10.0.0.0/8"});
    CHECK(refusal(hosts, "x.a.example") == "'x.a.example' is denied by '**.a.example' (policy.toml:4:9), which wins");
    CHECK(refusal(hosts, "a.example:22").find("'**.a.example'") != std::string::npos);
    CHECK(refusal(hosts, "*.x.a.example").find("'**.a.example'") != std::string::npos);
    CHECK(refusal(hosts, "10.0.0.7").find("'10.0.0.0/8'") != std::string::npos);
    CHECK(refusal(hosts, "b.example:443").find("'b.example:443'") != std::string::npos);
    CHECK(refusal(hosts, "b.example") == "allowed");  // port 80 is
    CHECK(refusal(hosts, "c.example") == "allowed");
  }

  TEST_CASE("a denial of the running session's is taken back by allowing the same, and not by allowing a part of it") {
    SessionHosts hosts = hosts_of({}, {});
    hosts.deny(rule("*.a.example"));
    CHECK(refusal(hosts, "*.a.example") == "allowed");
    CHECK(refusal(hosts, "x.a.example") == "'x.a.example' is denied by '*.a.example' (agentctl deny), which wins");
  }

  TEST_CASE("the sentence for the user says what was denied and what to type, where something helps") {
    Record record;
    CHECK(describe_denial(record).empty());
    write_to(record,
             egress::DoorTold{1, 2, "'a.example:443' is denied: no rule allows it", "agentctl allow s a.example"});
    CHECK(record.door.allowed == 1);
    CHECK(record.door.denied == 2);
    CHECK(describe_denial(record) ==
          "network: 'a.example:443' is denied: no rule allows it; to allow it: agentctl allow s a.example");
    record.door.remedy.clear();
    CHECK(describe_denial(record) == "network: 'a.example:443' is denied: no rule allows it");
  }
}

}  // namespace agentctl::manager
