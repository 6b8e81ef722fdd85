// SPDX-License-Identifier: Apache-2.0
#include "bwrap/secret_project.h"

#include <doctest/doctest.h>

#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

// What find_secret_places() would give for these.
Result<Plan> plan_in(SampleMachine machine, const std::string& project, const std::vector<std::string>& places,
                     const policy::Policy& policy = sample_policy()) {
  machine.project = project;
  HostFacts facts = machine.facts(policy);
  for (const std::string& place : places) facts.secret_places.push_back(machine.resolve(place));
  return build_plan(policy, facts);
}

SampleMachine machine_with_secrets() {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/.ssh/keys").directory("/home/ada/.config/gh").directory("/home/ada/.config/op");
  return machine.directory("/data/dots/aws").link("/home/ada/.aws", "/data/dots/aws");
}

}  // namespace

TEST_SUITE("secret_project") {
  TEST_CASE("a place of secrets, what lies in it, and what one leads to are no projects") {
    const SampleMachine machine = machine_with_secrets();
    const auto is = plan_in(machine, "/home/ada/.ssh", {"/home/ada/.ssh"});
    REQUIRE_FALSE(is.has_value());
    CHECK(is.error().kind == ErrorKind::policy);
    CHECK_EQ(is.error().message,
             "refused to use '/home/ada/.ssh' as the project: it is '~/.ssh', a known place of secrets");
    CHECK(is.error().hint.find("--hide '!~/.ssh'") != std::string::npos);
    const auto below = plan_in(machine, "/home/ada/.ssh/keys", {"/home/ada/.ssh"});
    REQUIRE_FALSE(below.has_value());
    CHECK(below.error().message.find("it lies in '~/.ssh'") != std::string::npos);
    const auto target = plan_in(machine, "/data/dots/aws", {"/home/ada/.aws"});
    REQUIRE_FALSE(target.has_value());
    CHECK(target.error().message.find("it is '~/.aws'") != std::string::npos);
  }

  TEST_CASE("a project that holds places of secrets is refused until they are hidden") {
    const SampleMachine machine = machine_with_secrets();
    const std::vector<std::string> places = {"/home/ada/.config/gh", "/home/ada/.config/op"};
    const auto holds = plan_in(machine, "/home/ada/.config", places);
    REQUIRE_FALSE(holds.has_value());
    // Our own configuration lies there, too, which is the first reason.
    CHECK(holds.error().message.find("configuration of agentctl") != std::string::npos);
    const auto dots = plan_in(machine, "/data/dots", {"/home/ada/.aws"});
    REQUIRE_FALSE(dots.has_value());
    CHECK_EQ(dots.error().message,
             "refused to use '/data/dots' as the project: it holds known places of secrets: ~/.aws");
    CHECK_EQ(dots.error().hint, "start in a directory below it, or hide them: --hide ~/.aws");
    policy::Policy hidden = sample_policy();
    hidden.files.hide = entries({"~/.aws"});
    const auto plan = plan_in(machine, "/data/dots", {"/home/ada/.aws"}, hidden);
    REQUIRE(plan.has_value());
    CHECK_EQ(plan->hidden, std::vector<std::string>{"/data/dots/aws"});
  }

  TEST_CASE("what the user takes out of the list is theirs to give") {
    policy::Policy policy = sample_policy();
    policy.files.shown = entries({"~/.ssh"});
    CHECK(plan_in(machine_with_secrets(), "/home/ada/.ssh", {"/home/ada/.ssh"}, policy).has_value());
  }
}

}  // namespace agentctl::bwrap
