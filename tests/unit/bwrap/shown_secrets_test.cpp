// SPDX-License-Identifier: Apache-2.0
#include "bwrap/shown_secrets.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

struct Home {
  Home() {
    machine.file("/home/ada/.ssh/id_ed25519").file("/home/ada/.ssh/known_hosts").file("/home/ada/.aws/credentials");
    machine.file("/home/ada/.config/gh/hosts.yml").directory("/home/ada/.claude").directory("/home/ada/notes");
  }

  // What a start would say, less what has nothing to do with it.
  std::vector<std::string> told() {
    HostFacts facts = machine.facts(policy);
    for (const char* name : {".ssh", ".aws", ".config/gh", ".claude"}) {
      facts.secret_places.push_back(machine.resolve(cat("/home/ada/", name)));
    }
    std::vector<std::string> lines;
    const Result<Plan> plan = build_plan(policy, facts);
    REQUIRE(plan.has_value());
    for (const std::string& warning : plan->warnings) {
      if (warning.find(" shows ") != std::string::npos) lines.push_back(warning);
    }
    return lines;
  }

  SampleMachine machine = SampleMachine::debian();
  policy::Policy policy = sample_policy();
};

}  // namespace

TEST_SUITE("shown_secrets") {
  TEST_CASE("a place of secrets that a list shows is told with the rule, once for each rule") {
    Home home;
    home.policy.files.read_only = entries({"~/.ssh", "~/notes"});
    home.policy.files.copy = {{"~/.aws/credentials", {"--copy"}}};
    CHECK(home.told() ==
          std::vector<std::string>{"files: policy.toml:1:1 shows '~/.ssh', a known place of secrets",
                                   "files: --copy shows '~/.aws/credentials', in a known place of secrets"});
  }

  TEST_CASE("a directory above such places is told with their names") {
    Home home;
    home.policy.files.read_only = {{"~/.config", {"--ro"}}};
    CHECK(home.told() ==
          std::vector<std::string>{"files: --ro shows known places of secrets in '~/.config': ~/.config/gh"});
    home.policy.files.hide = entries({"~/.config/gh"});
    CHECK(home.told().empty());
  }

  TEST_CASE("what is no secret there, what the built-in policy shows, and what nobody shows is not told") {
    Home home;
    CHECK(home.told().empty());
    home.policy.files.read_only = entries({"~/.ssh/known_hosts"});
    home.policy.files.read_write = {{"~/.claude", {"built-in profile claude", 3, 1}}};
    CHECK(home.told().empty());
    home.policy.files.read_write = {{"~/.claude", {"/home/ada/.config/agentctl/profiles/mine.toml", 3, 1}}};
    CHECK(home.told().empty());
    home.policy.files.read_write = {{"~/.claude", {"/home/ada/.config/agentctl/policy.toml", 3, 1}}};
    CHECK_EQ(home.told().size(), 1);
  }

  TEST_CASE("what is taken out of the hidden places in a directory that is shown is told") {
    Home home;
    home.machine.file("/home/ada/.local/share/keyrings/login");
    home.policy.files.removals = {{"hide", {"~/.local/share/keyrings", {"policy.toml", 2, 9}}},
                                  {"hide", {"~/.local/share/gone", {"policy.toml", 2, 40}}}};
    CHECK(home.told().empty());
    home.policy.files.read_only = {{"~/.local", {"built-in default", 1, 1}}};
    CHECK(home.told() == std::vector<std::string>{
                             "files: policy.toml:2:9 shows '~/.local/share/keyrings', which is hidden otherwise"});
  }

  TEST_CASE("in a read-only home a place that is taken out of what is hidden is told") {
    Home home;
    home.policy.files.shown = entries({"~/.ssh"});
    CHECK(home.told().empty());
    home.policy.files.home = {policy::HomeMode::read_only, {"policy.toml", 2, 1}};
    CHECK(home.told() == std::vector<std::string>{"files: policy.toml:1:1 shows '~/.ssh', a known place of secrets"});
  }
}

}  // namespace agentctl::bwrap
