// SPDX-License-Identifier: Apache-2.0
#include "bwrap/user_programs.h"

#include <sys/stat.h>

#include <algorithm>

#include <doctest/doctest.h>

#include "bwrap/plan_builder.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

using Names = std::vector<std::string>;

std::string nvm_choice(const std::string& alias) {
  const test::ScratchDir home;
  for (const char* version : {"v18.20.4", "v20.9.0", "v20.11.1", "v22.1.0"}) {
    home.write(std::string(".nvm/versions/node/") + version + "/bin/node", "");
  }
  if (!alias.empty()) home.write(".nvm/alias/default", alias + "\n");
  home.write(".nvm/alias/lts/iron", "v20.11.1\n");
  home.write(".nvm/alias/lts/*", "lts/iron\n");
  const std::string start = home.path() + "/.nvm/versions/node/";
  PathResolver resolver;
  for (const std::string& directory : user_program_directories(home.path(), resolver)) {
    if (directory.starts_with(start)) return directory.substr(start.size());
  }
  return "(none)";
}

}  // namespace

TEST_SUITE("user_programs") {
  TEST_CASE("versions are compared as numbers, by the parts that are asked for") {
    const Names versions = {"v8.17.0", "v18.2.0", "v18.19.1", "v20.0.0", "current", "v21", "v22.0.0-rc.1"};
    CHECK(newest_version(versions, "") == "v20.0.0");
    CHECK(newest_version(versions, "18") == "v18.19.1");
    CHECK(newest_version(versions, "v18.2") == "v18.2.0");
    CHECK(newest_version(versions, "v8.17.0") == "v8.17.0");
    for (const char* wanted : {"19", "v18.3", "node", "infinity", "v18.2.0.1", "lts/*"}) {
      CAPTURE(wanted);
      CHECK(newest_version(versions, wanted).empty());
    }
    CHECK(newest_version({}, "").empty());
  }

  TEST_CASE("DESK-01: the default of nvm is found through its aliases, else the newest version is taken") {
    CHECK(nvm_choice("20") == "v20.11.1/bin");
    CHECK(nvm_choice("v18.20.4") == "v18.20.4/bin");
    CHECK(nvm_choice("lts/*") == "v20.11.1/bin");
    for (const char* alias : {"node", "stable", "", "v99", "../../../../etc/passwd", "default"}) {
      CAPTURE(alias);
      CHECK(nvm_choice(alias) == "v22.1.0/bin");
    }
  }

  TEST_CASE("only what is a directory is named") {
    const test::ScratchDir home;
    home.write(".local/bin/claude", "");
    home.write("bin", "a file");
    PathResolver resolver;
    CHECK(user_program_directories(home.path(), resolver) == Names{home.path() + "/.local/bin"});
    CHECK(user_program_directories(home.path() + "/none", resolver).empty());
  }

  TEST_CASE("DESK-01: what is found beyond PATH is told, and its directory stands last in PATH inside") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/.local/bin/claude");
    machine.user_programs = {"/home/ada/.local/bin"};
    machine.command = {"claude"};
    machine.program = "/home/ada/.local/bin/claude";
    const policy::Policy policy = sample_policy();
    const auto plan = build_plan(policy, machine.facts(policy));
    REQUIRE(plan);
    const auto& words = plan->environment;
    CHECK(std::count(words.begin(), words.end(), "PATH=/usr/local/bin:/usr/bin:/bin:/home/ada/.local/bin") == 1);
    CHECK(plan->warnings.back() == "command: 'claude' is not in PATH, but here: '/home/ada/.local/bin/claude'");
  }
}

}  // namespace agentctl::bwrap
