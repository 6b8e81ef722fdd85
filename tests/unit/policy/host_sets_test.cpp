// SPDX-License-Identifier: Apache-2.0
#include "policy/host_sets.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "policy/host_list.h"
#include "policy/host_rule.h"
#include "policy/policy_merge.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

Policy read(std::string_view text) {
  ReadOutcome outcome = read_policy(text, "policy.toml");
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

bool reaches(const HostSettings& hosts, std::string_view host) {
  return find_host(all_allowed(hosts), host) != nullptr;
}

TEST_SUITE("host_sets") {
  TEST_CASE("a set stands for hosts that rules can name, and its removal for theirs") {
    for (const char* set : {"@git", "@packages"}) {
      const auto hosts = opened_host_set(set);
      const auto removals = opened_host_set(std::string("!") + set);
      CHECK_GT(hosts.size(), 10);
      REQUIRE_EQ(hosts.size(), removals.size());
      for (std::size_t at = 0; at < hosts.size(); ++at) {
        CHECK_MESSAGE(parse_allow_rule(hosts[at]).has_value(), hosts[at]);
        CHECK_EQ(removals[at], "!" + hosts[at]);
      }
    }
    CHECK_EQ(opened_host_set("a.example"), std::vector<std::string>{"a.example"});
  }

  TEST_CASE("a name that is no set's is refused, and those that are there are named") {
    for (const char* entry : {"@", "@Packages", "!@none", "@git "}) {
      CAPTURE(entry);
      const auto checked = check_allow_entry(entry);
      REQUIRE_FALSE(checked.has_value());
      CHECK_EQ(checked.error().message, "names no set of hosts; there are @git and @packages");
      CHECK_FALSE(check_deny_entry(entry).has_value());
    }
    CHECK(check_allow_entry("!@git").has_value());
    CHECK(check_deny_entry("@packages").has_value());
  }

  TEST_CASE("a later layer takes one out of a set, or the set, or all that commands reach") {
    const Policy profile =
        read("[network]\nallow = [\"a.example\"]\n[network.commands]\nallow = [\"@git\", \"@packages\"]\n");
    std::vector<Diagnostic> mistakes;
    const auto later = [&](const char* entries) {
      return merge(profile, read(std::string("[network.commands]\nallow = [") + entries + "]\n"), mistakes).hosts;
    };
    const HostSettings one = later("\"!github.com\"");
    CHECK_FALSE(reaches(one, "github.com"));
    CHECK(reaches(one, "github.com:22"));
    const HostSettings set = later("\"!@git\"");
    CHECK_FALSE(reaches(set, "gitlab.com"));
    CHECK(reaches(set, "pypi.org"));
    const HostSettings none = later("\"!*\"");
    CHECK_FALSE(reaches(none, "pypi.org"));
    CHECK(reaches(none, "a.example"));
    CHECK(mistakes.empty());
  }

  TEST_CASE("of [network.commands] nothing but allow is understood") {
    const ReadOutcome outcome = read_policy("[network.commands]\ndeny = []\n", "policy.toml");
    REQUIRE_EQ(outcome.mistakes.size(), 1);
    CHECK_NE(render(outcome.mistakes[0]).find("unknown key 'deny' in [network.commands]"), std::string::npos);
    CHECK_EQ(read_policy("[network]\ncommands = [\"@git\"]\n", "policy.toml").mistakes.size(), 1);
  }
}

}  // namespace
}  // namespace agentctl::policy
