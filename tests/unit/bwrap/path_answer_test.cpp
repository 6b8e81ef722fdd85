// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_answer.h"

#include <map>

#include <doctest/doctest.h>

#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

struct Home {
  SampleMachine machine = SampleMachine::debian();
  policy::Policy policy = sample_policy();

  Home() {
    machine.file("/home/ada/.ssh/id").file("/home/ada/notes/todo").file("/home/ada/notes/secret/key");
    machine.file("/home/ada/dotfiles/gitconfig").link("/home/ada/.gitconfig", "dotfiles/gitconfig");
    machine.file("/home/ada/shop/src/main.c").directory("/home/ada/shop/.git/hooks").file("/home/ada/.tool.json");
    machine.link("/home/ada/shop/keys", "/home/ada/.ssh");
    machine.link("/home/ada/shop/up", "..").file("/home/ada/shop/locked");
    policy.files.read_only = entries({"~/.gitconfig", "~/notes"});
    policy.files.hide = entries({"~/notes/secret"});
    policy.files.copy = entries({"~/.tool.json"});
    policy.files.protect = entries({"./.git/hooks"});
  }

  [[nodiscard]] PathAnswer ask(const std::string& path) const {
    const auto plan = build_plan(policy, machine.facts(policy));
    REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message));
    return explain_path(*plan, path, [this](const std::string& name) { return look(name); });
  }

  // A name as lstat(2) would find it, its parent being canonical.
  [[nodiscard]] HostEntry look(const std::string& path) const {
    const PathFact fact = machine.resolve(path);
    HostEntry entry;
    if (!fact.links.empty() && fact.links.front().path.str() == path) {
      entry.kind = HostEntry::Kind::link;
      entry.target = fact.links.front().target;
    } else if (fact.kind != PathKind::absent) {
      entry.kind = fact.kind == PathKind::directory ? HostEntry::Kind::directory : HostEntry::Kind::file;
      entry.readable = true;
      entry.writable = path != "/home/ada/shop/locked";
    }
    return entry;
  }

  [[nodiscard]] std::string seen(const std::string& path) const { return std::string(to_string(ask(path).visibility)); }
};

}  // namespace

TEST_SUITE("path_answer") {
  TEST_CASE("CTL-02: what a session sees of a path is told with the rule that decided") {
    const Home home;
    CHECK(home.seen("/home/ada/shop/src/main.c") == "writable");
    CHECK(home.ask("/home/ada/shop/src/main.c").rule == "the project");
    for (const char* around : {"/home/ada/shop/.git", "/home/ada/shop/.git/HEAD"}) {
      CHECK_EQ(home.ask(around).rule, "the project");  // though what lies in it is protected
    }
    CHECK(home.seen("/home/ada/notes/todo") == "read-only");
    CHECK(home.ask("/home/ada/notes/todo").rule == "policy.toml:2:1");
    CHECK(home.seen("/home/ada/notes/secret/key") == "hidden");
    CHECK(home.ask("/home/ada/notes/secret").rule == "policy.toml:1:1");
    CHECK(home.seen("/home/ada/.tool.json") == "copy");
    CHECK(home.seen("/home/ada/shop/.git/hooks") == "read-only");
    CHECK(home.seen("/usr/bin/sh") == "read-only");
    CHECK(home.seen("/proc/1/status") == "made-anew");
    CHECK(home.seen("/dev/null") == "made-anew");
  }

  TEST_CASE("absent says whether it is the rules or the host") {
    const Home home;
    CHECK(home.seen("/home/ada/.ssh/id") == "absent");
    CHECK(home.ask("/home/ada/.ssh").why == "it is on the host, and no rule shows it");
    CHECK(home.ask("/home/ada/nothing").why == "it is not on the host, and no rule makes it");
    CHECK(home.ask("/home/ada/shop/nothing").why == "it is not on the host either");
    CHECK(home.ask("/dev/sda").why == "the session has no such device");
    CHECK(home.seen("/home/ada/notes/todo/below") == "absent");
    CHECK(home.seen("/sys/kernel") == "absent");
  }

  TEST_CASE("links are followed as the session follows them, those of the project too") {
    const Home home;
    const PathAnswer gitconfig = home.ask("/home/ada/.gitconfig");
    CHECK(gitconfig.visibility == Visibility::read_only);
    CHECK(gitconfig.end == "/home/ada/dotfiles/gitconfig");
    CHECK(gitconfig.links == std::vector<std::string>{"/home/ada/.gitconfig -> dotfiles/gitconfig"});
    CHECK(home.seen("/home/ada/shop/keys/id") == "absent");
    CHECK(home.ask("/home/ada/shop/keys/id").end == "/home/ada/.ssh");
    CHECK(home.ask("/home/ada/shop/up/notes/todo").end == "/home/ada/notes/todo");
    CHECK(home.seen("/bin/sh") == "read-only");
  }

  TEST_CASE("places of the session's own are writable but for the root and what is sealed") {
    const Home home;
    for (const char* path : {"/tmp", "/home/ada", "/dev/shm", "/run/user/1000"}) {
      CAPTURE(path);
      CHECK(home.ask(path).writable);
    }
    for (const char* path : {"/", "/home", "/etc", "/run", "/run/agentctl"}) {
      CAPTURE(path);
      CHECK_FALSE(home.ask(path).writable);
      CHECK(home.ask(path).readable);
    }
  }

  TEST_CASE("a file's own permissions count as well") {
    const Home home;
    const PathAnswer answer = home.ask("/home/ada/shop/locked");
    CHECK(answer.visibility == Visibility::writable);
    CHECK(answer.readable);
    CHECK_FALSE(answer.writable);
    CHECK(answer.why == "the rule lets the session write it, its own permissions do not");
  }

  TEST_CASE("dots are taken as the kernel takes them, after the links before them") {
    const Home home;
    CHECK(home.ask("/home/ada/shop/./src/../src//main.c").end == "/home/ada/shop/src/main.c");
    CHECK(home.ask("/..//home/../home/ada/shop").end == "/home/ada/shop");
    CHECK(home.ask("/bin/../bin/sh").end == "/usr/bin/dash");
  }
}

}  // namespace agentctl::bwrap
