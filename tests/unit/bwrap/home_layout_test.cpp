// SPDX-License-Identifier: Apache-2.0
#include "bwrap/home_layout.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "bwrap/home_secrets.h"
#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

using policy::HomeMode;

struct Home {
  SampleMachine machine = SampleMachine::debian();
  policy::Policy policy = sample_policy();

  explicit Home(HomeMode mode) { policy.files.home = policy::Setting<HomeMode>{mode, {"policy.toml", 2, 8}}; }

  Plan plan() const { return build_plan(policy, machine.facts(policy)).value(); }
};

const Operation* at(const Plan& plan, const std::string& destination) {
  const auto found = std::find_if(plan.operations.begin(), plan.operations.end(), [&](const Operation& operation) {
    return operation.destination.str() == destination && operation.kind != OperationKind::remount_read_only;
  });
  return found == plan.operations.end() ? nullptr : &*found;
}

bool has_value(const Plan& plan, const std::string& variable) {
  return std::find(plan.environment.begin(), plan.environment.end(), variable) != plan.environment.end();
}

constexpr const char* kState = "/home/ada/.local/state/agentctl";

}  // namespace

TEST_SUITE_BEGIN("home_layout");

TEST_CASE("the cache is the project's own in a private home, and the variables lead there") {
  const Plan plan = Home(HomeMode::private_home).plan();
  REQUIRE(at(plan, "/home/ada/.cache") != nullptr);
  CHECK_EQ(at(plan, "/home/ada/.cache")->source.str(), std::string(kState) + "/caches/home!ada!shop");
  CHECK(at(plan, "/home/ada/.cache")->access == Access::read_write);
  CHECK_EQ(plan.own.cache, std::string(kState) + "/caches/home!ada!shop");
  CHECK(plan.own.home.empty());
  CHECK(has_value(plan, "CARGO_HOME=/home/ada/.cache/cargo"));
  CHECK(has_value(plan, "UV_LINK_MODE=copy"));
}

TEST_CASE("what the user passes or sets goes before our variables for caches") {
  Home home(HomeMode::private_home);
  home.machine.environment["CARGO_HOME"] = "/usr/local/cargo";
  home.policy.env.pass.push_back({"CARGO_HOME", {}});
  home.policy.env.set["GOCACHE"] = {"/tmp/go", {}};
  CHECK(has_value(home.plan(), "CARGO_HOME=/usr/local/cargo"));
  CHECK(has_value(home.plan(), "GOCACHE=/tmp/go"));
}

TEST_CASE("a cache in which the policy shows something is not kept, and that is told") {
  Home home(HomeMode::private_home);
  home.machine.directory("/home/ada/.cache/models");
  home.policy.files.read_only = entries({"~/.cache/models"});
  const Plan plan = home.plan();
  CHECK(at(plan, "/home/ada/.cache") == nullptr);
  CHECK(at(plan, "/home/ada/.cache/models") != nullptr);
  CHECK(plan.own.cache.empty());
  CHECK(plan.warnings.back().starts_with("caches: "));
}

TEST_CASE("a persistent home is a directory of ours with the same name for the same project") {
  Home home(HomeMode::persistent);
  const Plan plan = home.plan();
  const std::string own = std::string(kState) + "/homes/home!ada!shop/home";
  REQUIRE(at(plan, "/home/ada") != nullptr);
  CHECK_EQ(at(plan, "/home/ada")->source.str(), own);
  CHECK_EQ(plan.own.home, own);
  CHECK(plan.own.cache.empty());
  CHECK(at(plan, "/home/ada/.cache") == nullptr);
  CHECK_EQ(plan.warnings.back(), "home: kept from session to session in '" + own + "'");
}

TEST_CASE("what is mounted in a persistent home has its mount point made, and copies are made there once") {
  Home home(HomeMode::persistent);
  home.machine.directory("/home/ada/.claude").file("/home/ada/.claude.json").link("/home/ada/.gitconfig", "dot/git");
  home.machine.file("/home/ada/dot/git").file("/home/ada/.claude/settings.json");
  home.policy.files.read_write = entries({"~/.claude"});
  home.policy.files.copy = entries({"~/.claude.json"});
  home.policy.files.read_only = entries({"~/.gitconfig"});
  home.policy.files.protect = entries({"~/.claude/settings.json"});
  const Plan plan = home.plan();
  std::vector<std::string> below;
  for (const MountPoint& point : plan.own.mount_points) {
    below.push_back(point.below + (point.is_copy ? " copy" : "") + (point.is_link ? " link" : ""));
  }
  std::sort(below.begin(), below.end());
  CHECK_EQ(below, std::vector<std::string>{".claude", ".claude.json copy", ".gitconfig link", "dot/git", "shop"});
  CHECK(at(plan, "/home/ada/.claude.json") == nullptr);
  CHECK(at(plan, "/home/ada/.claude") != nullptr);
}

TEST_CASE("a read-only home is the user's, with our own files hidden and the private places private") {
  Home home(HomeMode::read_only);
  home.machine.directory("/home/ada/.cache")
      .directory("/home/ada/.local/state")
      .directory("/home/ada/.config/agentctl");
  const Plan plan = home.plan();
  REQUIRE(at(plan, "/home/ada") != nullptr);
  CHECK(at(plan, "/home/ada")->access == Access::read_only);
  CHECK_EQ(at(plan, "/home/ada/.cache")->source.str(), std::string(kState) + "/caches/home!ada!shop");
  CHECK(at(plan, "/home/ada/.local/state")->kind == OperationKind::tmpfs);
  REQUIRE(at(plan, "/home/ada/.config/agentctl") != nullptr);
  CHECK(at(plan, "/home/ada/.config/agentctl")->kind != OperationKind::bind);
}

TEST_CASE("in a read-only home without ~/.cache the cache stands elsewhere and nothing is made on the host") {
  const Plan plan = Home(HomeMode::read_only).plan();
  CHECK(at(plan, "/home/ada/.cache") == nullptr);
  REQUIRE(at(plan, "/run/user/1000/.cache") != nullptr);
  CHECK(has_value(plan, "XDG_CACHE_HOME=/run/user/1000/.cache"));
}

TEST_CASE("a tree in which a private place is missing is shown entry by entry") {
  Home home(HomeMode::private_home);
  home.machine.directory("/home/ada/.local/share/app").link("/home/ada/.local/share/link", "app");
  home.policy.files.read_only = entries({"~/.local"});
  HostFacts facts = home.machine.facts(home.policy);
  facts.split["/home/ada/.local/share"] = {home.machine.resolve("/home/ada/.local/share/app"),
                                           home.machine.resolve("/home/ada/.local/share/link")};
  const Plan plan = build_plan(home.policy, facts).value();
  CHECK(at(plan, "/home/ada/.local")->kind == OperationKind::bind);
  CHECK(at(plan, "/home/ada/.local/share")->kind == OperationKind::tmpfs);
  CHECK(at(plan, "/home/ada/.local/share/app")->access == Access::read_only);
  CHECK(at(plan, "/home/ada/.local/share/link")->kind == OperationKind::symlink);
}

TEST_CASE("the name of a secret is told from others") {
  for (const char* name : {".fake-creds", "Credentials", ".my_token", ".zsh_history", "server.PEM", "id_rsa",
                           "passwords.txt", ".wallet", "vault.kdbx", "openai-api-key"}) {
    CHECK_MESSAGE(has_name_of_a_secret(name), name);
  }
  for (const char* name : {".bashrc", ".profile", ".gitconfig", "notes", ".vimrc", "keyboard.md"}) {
    CHECK_FALSE_MESSAGE(has_name_of_a_secret(name), name);
  }
}

TEST_CASE("in a read-only home secrets are hidden, but not what the policy names or where the project lies") {
  Home home(HomeMode::read_only);
  home.machine.directory("/home/ada/.ssh").directory("/home/ada/.claude");
  home.policy.files.read_write = entries({"~/.claude"});
  HostFacts facts = home.machine.facts(home.policy);
  for (const char* name : {"/home/ada/.ssh", "/home/ada/.claude", "/home/ada/shop", "/home/ada"}) {
    facts.home_secrets.push_back(home.machine.resolve(name));
  }
  const Plan plan = build_plan(home.policy, facts).value();
  CHECK(at(plan, "/home/ada/.ssh")->kind != OperationKind::bind);
  CHECK(at(plan, "/home/ada/.claude")->kind == OperationKind::bind);
  CHECK(at(plan, "/home/ada/shop")->kind == OperationKind::bind_project);
  CHECK(at(plan, "/home/ada")->kind == OperationKind::bind);
}

TEST_SUITE_END();

}  // namespace agentctl::bwrap
