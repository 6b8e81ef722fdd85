// SPDX-License-Identifier: Apache-2.0
#include "bwrap/search_path.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

std::vector<std::string> shown_of(const SampleMachine& machine, const policy::Policy& policy = sample_policy()) {
  std::vector<std::string> shown;
  const Plan plan = build_plan(policy, machine.facts(policy)).value();
  for (const Operation& operation : plan.operations) {
    if (operation.origin != "PATH") continue;
    CHECK(operation.access == Access::read_only);
    shown.push_back(operation.destination.str());
  }
  return shown;
}

using Paths = std::vector<std::string>;

}  // namespace

TEST_SUITE_BEGIN("search_path");

TEST_CASE("a directory of PATH in the home is shown read-only, and no more of the home than that") {
  SampleMachine machine = SampleMachine::debian();
  machine.file("/home/ada/go/bin/tool").directory("/home/ada/go/src/private");
  machine.environment["PATH"] = "/usr/bin:/home/ada/go/bin:/home/ada/gone";
  CHECK_EQ(shown_of(machine), Paths{"/home/ada/go/bin"});
}

TEST_CASE("the tree of a known version manager comes with its shims") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/.cargo/bin").directory("/home/ada/.rustup").file("/home/ada/.cargo/credentials.toml");
  machine.directory("/home/ada/.asdf/shims").file("/home/ada/.tool-versions");
  machine.environment["PATH"] = "/home/ada/.cargo/bin:/home/ada/.asdf/shims:/usr/bin";
  CHECK_EQ(shown_of(machine),
           Paths{"/home/ada/.asdf", "/home/ada/.rustup", "/home/ada/.tool-versions", "/home/ada/.cargo/bin"});
}

TEST_CASE("the home, what holds it or the project, our own files and places for anyone's files are not shown") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/.local/state/agentctl/bin").directory("/tmp/bin").directory("/snap/bin");
  machine.environment["PATH"] = "/home/ada:/home:/home/ada/.local/state/agentctl/bin:/tmp/bin:/snap/bin:/usr/bin";
  CHECK_EQ(shown_of(machine), Paths{});
}

TEST_CASE("what the policy hides is not shown for being in PATH") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/tools/bin");
  machine.environment["PATH"] = "/home/ada/tools/bin:/usr/bin";
  policy::Policy policy = sample_policy();
  policy.files.hide = entries({"~/tools"});
  CHECK_EQ(shown_of(machine, policy), Paths{});
}

TEST_CASE("an environment of the project may be in PATH under the project's name, and is told") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/shop/.venv/bin").file("/home/ada/shop/.venv/pyvenv.cfg");
  machine.directory("/home/ada/shop/node_modules/.bin");
  machine.environment["PATH"] = "/home/ada/shop/.venv/bin:/home/ada/shop/node_modules/.bin:/usr/bin";
  const policy::Policy policy = sample_policy();
  const Plan plan = build_plan(policy, machine.facts(policy)).value();
  CHECK_EQ(std::count_if(plan.warnings.begin(), plan.warnings.end(),
                         [](const std::string& text) { return text.find("in your PATH") != std::string::npos; }),
           2);
}

TEST_CASE("a project that holds a place of the user's own programs is refused under any name") {
  SampleMachine machine = SampleMachine::debian();
  machine.directory("/home/ada/shop/bin").link("/home/ada/bin", "shop/bin");
  machine.file("/home/ada/shop/pyvenv.cfg");
  const policy::Policy policy = sample_policy();
  machine.environment["PATH"] = "/home/ada/bin:/usr/bin";
  CHECK_FALSE(build_plan(policy, machine.facts(policy)).has_value());
  machine.remove("/home/ada/shop/pyvenv.cfg");
  machine.environment["PATH"] = "/home/ada/shop/bin:/usr/bin";
  CHECK_FALSE(build_plan(policy, machine.facts(policy)).has_value());
}

TEST_SUITE_END();

}  // namespace agentctl::bwrap
