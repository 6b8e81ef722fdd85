// SPDX-License-Identifier: Apache-2.0
#include "policy/rule_list.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "policy/policy_merge.h"
#include "policy/profiles.h"

namespace agentctl::policy {
namespace {

constexpr MachineSize kMachine = {16ULL << 30, 8};

std::string rule(const std::vector<Rule>& rules, const std::string& key, const std::string& value) {
  for (const Rule& rule : rules) {
    if (rule.key == key && (value.empty() || rule.value == value)) return rule.value + " " + to_string(rule.origin);
  }
  return "(none)";
}

}  // namespace

TEST_SUITE("rule_list") {
  TEST_CASE("CTL-02: each rule is listed with the place that wrote it last") {
    std::vector<Diagnostic> mistakes;
    const ReadOutcome own = read_policy(
        "[limits]\nmemory-max = \"8G\"\n[files]\nhide = [\"~/x\"]\n[env]\nset = { CI = \"1\" }\n[network]\nmode = "
        "\"none\"\n",
        "policy.toml");
    REQUIRE(own.mistakes.empty());
    const auto rules = list_rules(merge(built_in_default(), own.policy, mistakes), kMachine);
    CHECK(rule(rules, "memory-max", "") == "8G policy.toml:2:14");
    CHECK(rule(rules, "hide", "~/x") == "~/x policy.toml:4:9");
    CHECK(rule(rules, "set", "") == "CI=1 policy.toml:6:14");
    CHECK(rule(rules, "mode", "") == "none policy.toml:8:8");
    CHECK(rule(rules, "read-only", "~/.gitconfig").starts_with("~/.gitconfig built-in default:"));
  }

  TEST_CASE("what a later layer takes out is listed with its mark and that layer's place, until it is put in again") {
    std::vector<Diagnostic> mistakes;
    const ReadOutcome own = read_policy("[files]\nprotect = [\"!./.git/config\"]\n", "policy.toml");
    const ReadOutcome again = read_policy("[files]\nprotect = [\"./.git/config\"]\n", "again.toml");
    const Policy without = merge(built_in_default(), own.policy, mistakes);
    CHECK(rule(list_rules(without, kMachine), "protect", "!./.git/config") == "!./.git/config policy.toml:2:12");
    CHECK(rule(list_rules(without, kMachine), "protect", "./.git/config") == "(none)");
    const auto rules = list_rules(merge(without, again.policy, mistakes), kMachine);
    CHECK(rule(rules, "protect", "!./.git/config") == "(none)");
    CHECK(rule(rules, "protect", "./.git/config") == "./.git/config again.toml:2:12");
    CHECK(mistakes.empty());
  }

  TEST_CASE("limits that nobody set are listed with what they come to on this machine") {
    const auto rules = list_rules({}, kMachine);
    CHECK(rule(rules, "memory-max", "") == "9.5G built-in default");
    CHECK(rule(rules, "cpu-quota", "") == "700% built-in default");
    CHECK(rule(rules, "tasks-max", "") == "4096 built-in default");
    CHECK(rule(rules, "oom", "") == "process built-in default");
    CHECK(rule(rules, "home", "") == "private built-in default");
    CHECK(rule(rules, "filter", "") == "true built-in default");
  }

  TEST_CASE("each host that is allowed or denied is listed") {
    const ReadOutcome own = read_policy(
        "[network]\nmode = \"allowlist\"\nallow = [\"a.org\", \"b.org:22\"]\ndeny = [\"*.c.org\"]\n", "policy.toml");
    REQUIRE(own.mistakes.empty());
    const auto rules = list_rules(own.policy, kMachine);
    CHECK(rule(rules, "mode", "") == "allowlist policy.toml:2:8");
    CHECK(rule(rules, "allow", "b.org:22") == "b.org:22 policy.toml:3:19");
    CHECK(rule(rules, "deny", "") == "*.c.org policy.toml:4:9");
  }

  TEST_CASE("the value of a secret is not told") {
    Policy policy;
    policy.env.set["API_TOKEN"] = {"hunter2", {"--env"}};
    for (const Rule& listed : list_rules(policy, kMachine)) CHECK(listed.value.find("hunter2") == std::string::npos);
    CHECK(rule(list_rules(policy, kMachine), "set", "") == "API_TOKEN --env");
  }
}

}  // namespace agentctl::policy
