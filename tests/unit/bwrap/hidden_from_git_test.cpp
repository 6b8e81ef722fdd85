// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hidden_from_git.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

// A project with .env, which git does not track, hidden by the built-in default.
struct Case {
  Case() {
    machine.file("/home/ada/shop/.env").directory("/home/ada/shop/.git").file("/home/ada/.ignored");
    policy.files.hide = {{"./**/.env", {"built-in default", 1, 1}}};
  }

  Plan plan() {
    HostFacts facts = machine.facts(policy);
    for (auto& [glob, fact] : facts.globs) {
      if (hides) fact.matches = {machine.resolve("/home/ada/shop/.env")};
    }
    if (hides) facts.untracked["/home/ada/shop/.env"] = untracked;
    facts.ignore_list = own;
    return build_plan(policy, facts).value();
  }

  SampleMachine machine = SampleMachine::debian();
  policy::Policy policy = sample_policy();
  UntrackedFact untracked{".env", false, false};
  IgnoreListFact own;
  bool hides = true;
};

std::string list_of(const Plan& plan) {
  for (const Operation& operation : plan.operations) {
    if (operation.destination.str() == kIgnoreListPath) return operation.text;
  }
  return "none";
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
  return std::find(lines.begin(), lines.end(), line) != lines.end();
}

std::string told(const Plan& plan) {
  for (const std::string& warning : plan.warnings) {
    if (warning.find("git add -A") != std::string::npos) return warning;
  }
  return "nothing";
}

}  // namespace

TEST_SUITE("hidden_from_git") {
  TEST_CASE("git is told to ignore a hidden file that it does not track, and nobody is warned") {
    const Plan plan = Case().plan();
    CHECK_EQ(list_of(plan), "/.env\n");
    CHECK(has(plan.environment, "GIT_CONFIG_COUNT=1"));
    CHECK(has(plan.environment, "GIT_CONFIG_KEY_0=core.excludesFile"));
    CHECK(has(plan.environment, cat("GIT_CONFIG_VALUE_0=", kIgnoreListPath)));
    CHECK_EQ(told(plan), "nothing");
  }

  TEST_CASE("where nothing is hidden, nothing is added") {
    Case one;
    one.hides = false;
    const Plan plan = one.plan();
    CHECK_EQ(list_of(plan), "none");
    CHECK_EQ(join(plan.environment, " ").find("GIT_CONFIG"), std::string::npos);
  }

  TEST_CASE("the user's own list goes on to count where the session sees it") {
    Case one;
    one.own = {one.machine.resolve("/home/ada/.ignored"), "*.swp", ""};
    CHECK_EQ(list_of(one.plan()), "/.env\n");
    one.policy.files.read_only = entries({"~/.ignored"});
    CHECK_EQ(list_of(one.plan()), "*.swp\n/.env\n");
  }

  TEST_CASE("where the list does not help, a warning names the files that git would add") {
    Case one;
    one.untracked.overrides_list = true;
    CHECK_EQ(told(one.plan()),
             "git: hidden, and 'git add -A' inside would commit them empty: .env; name them in .gitignore");
    one.untracked = {".env", false, false};
    one.own.fault = "it is too large";
    const Plan unread = one.plan();
    CHECK(told(unread).find("cannot be used (it is too large): .env") != std::string::npos);
    CHECK_EQ(list_of(unread), "none");
    one.own.fault.clear();
    one.policy.env.set["GIT_CONFIG_COUNT"] = {"0", {"policy.toml", 5, 1}};
    const Plan taken = one.plan();
    CHECK(told(taken).find("since the policy sets GIT_CONFIG_COUNT: .env") != std::string::npos);
    CHECK_EQ(list_of(taken), "none");
    CHECK(has(taken.environment, "GIT_CONFIG_COUNT=0"));
    one.untracked.is_ignored = true;
    CHECK_EQ(told(one.plan()), "nothing");
  }

  TEST_CASE("what comes to match the user's own globs is ignored, too, but for what the same file names") {
    Case one;
    one.hides = false;
    one.policy.files.hide = entries({"**/*.env", "./later", "~/elsewhere/*.x"});
    one.policy.files.read_write = entries({"./a.env"});
    one.machine.file("/home/ada/shop/a.env");
    CHECK_EQ(list_of(one.plan()), "/**/*.env\n!/a.env\n/later\n");
  }

  TEST_CASE("settings become the variables that git counts") {
    CHECK(git_variables({}).empty());
    CHECK_EQ(join(git_variables({{"a.b", "1"}, {"c.d", "x y"}}), "; "),
             "GIT_CONFIG_COUNT=2; GIT_CONFIG_KEY_0=a.b; GIT_CONFIG_VALUE_0=1; GIT_CONFIG_KEY_1=c.d; "
             "GIT_CONFIG_VALUE_1=x y");
  }
}

}  // namespace agentctl::bwrap
