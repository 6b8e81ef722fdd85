// SPDX-License-Identifier: Apache-2.0
#include "bwrap/agent_readme.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "bwrap/plan_builder.h"
#include "tests/support/golden.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

const policy::Limits kDefaults = policy::resolve_limits({}, {16ULL << 30, 8});

Plan plan_of(bool shared, const std::string& project = "/home/ada/shop") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory(project);
  machine.project = project;
  machine.file("/home/ada/shop/.env").directory("/home/ada/shop/.git/hooks");
  policy::Policy policy = sample_policy();
  if (!shared) policy.network.reset();
  policy.files.hide = entries({"/home/ada/shop/.env"});
  return build_plan(policy, machine.facts(policy)).value();
}

TEST_SUITE("agent_readme") {
  TEST_CASE("CTL-06: a session with a private home, the host's network and the default limits") {
    test::check_golden("readme/private_home.txt",
                       agent_readme(plan_of(true), policy::HomeMode::private_home, kDefaults));
  }

  TEST_CASE("CTL-06: a session with a read-only home, no network, and limits of its own") {
    policy::Limits limits = kDefaults;
    limits.runtime_max_usec = 90'000'000;
    limits.oom = policy::OomMode::session;
    limits.memory_swap_max = 1ULL << 30;
    limits.tasks_max = kInfinity;
    test::check_golden("readme/read_only_home.txt", agent_readme(plan_of(false), policy::HomeMode::read_only, limits));
  }

  TEST_CASE("CTL-06: a session that runs without limits has a kept home") {
    test::check_golden("readme/no_limits.txt", agent_readme(plan_of(true), policy::HomeMode::persistent, std::nullopt));
  }

  TEST_CASE("CTL-06: a session with an allowlist is told that there is one, and not what is on it") {
    Plan plan = plan_of(true);
    plan.network = policy::NetworkMode::allowlist;
    const std::string text = agent_readme(plan, policy::HomeMode::private_home, kDefaults);
    CHECK(text.find("You reach the hosts that the user allows and no others") != std::string::npos);
    CHECK(text.find("'agentctl allow'") != std::string::npos);
    CHECK(text.find("shared with you") == std::string::npos);
  }

  TEST_CASE("CTL-06: what is hidden is not named to those from whom it is hidden, and a line stays a line") {
    const std::string text =
        agent_readme(plan_of(true, "/home/ada/new\nline"), policy::HomeMode::private_home, kDefaults);
    CHECK(text.find(".env") == std::string::npos);
    CHECK(text.find("policy.toml") == std::string::npos);
    CHECK(text.find("/home/ada/new") != std::string::npos);
    CHECK(text.find("new\nline") == std::string::npos);
  }

  TEST_CASE("CTL-06: the text is written before the place where it stands is sealed") {
    Plan plan = plan_of(true);
    add_agent_readme(policy::HomeMode::private_home, kDefaults, plan);
    std::size_t readme = 0;
    std::size_t sealing = 0;
    for (std::size_t at = 0; at < plan.operations.size(); ++at) {
      const Operation& operation = plan.operations[at];
      if (operation.destination.str() == kReadmePath) readme = at;
      if (operation.kind == OperationKind::remount_read_only && operation.destination.str() == "/") sealing = at;
    }
    CHECK(readme > 0);
    CHECK(readme < sealing);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
