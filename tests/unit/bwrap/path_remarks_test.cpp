// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_remarks.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

std::string remarks(const policy::Policy& policy, const std::string& path, Visibility visibility,
                    const std::map<std::string, TrackedFact>& tracked = {}) {
  HostFacts facts = SampleMachine::debian().facts(policy);
  facts.tracked = tracked;
  PathAnswer answer;
  answer.visibility = visibility;
  answer.end = path;
  return join(path_remarks(policy.files, facts, path, answer), "; ");
}

policy::Policy with_defaults() {
  policy::Policy policy = sample_policy();
  for (const char* glob : {"./**/.env", "./**/*.pem", "./**/.npmrc"}) {
    policy.files.hide.push_back({glob, {"built-in default", 1, 1}});
  }
  return policy;
}

}  // namespace

TEST_SUITE("path_remarks") {
  TEST_CASE("where the built-in globs do not look is said, with the remedy") {
    const policy::Policy policy = with_defaults();
    CHECK_EQ(
        remarks(policy, "/home/ada/shop/d1/d2/d3/d4/.env", Visibility::writable),
        "'./**/.env' of the built-in default looks no more than 3 directories deep; to hide it: --hide "
        "/home/ada/shop/d1/d2/d3/d4/.env, or './**/.env' in hide of a policy of yours, which then holds everywhere "
        "in the project");
    CHECK(remarks(policy, "/home/ada/shop/node_modules/x/SERVER.PEM", Visibility::writable)
              .starts_with("'./**/*.pem' of the built-in default does not look in 'node_modules'; to hide it"));
    CHECK(remarks(policy, "/home/ada/shop/.npmrc", Visibility::writable).ends_with("where a login is written in it"));
    CHECK(remarks(policy, "/home/ada/shop/a.example.pem", Visibility::writable).ends_with("for an example"));
  }

  TEST_CASE("what git tracks is told as that") {
    const std::map<std::string, TrackedFact> tracked = {
        {"/home/ada/shop/.env", {TrackedFact::State::unchanged, "/home/ada/shop/.env", "", ""}}};
    CHECK(remarks(with_defaults(), "/home/ada/shop/.env", Visibility::writable, tracked)
              .ends_with("since git tracks it and has its content anyway"));
  }

  TEST_CASE("nothing is said of what is hidden, fits no glob or lies outside of the project") {
    const policy::Policy policy = with_defaults();
    CHECK_EQ(remarks(policy, "/home/ada/shop/a/.env", Visibility::hidden), "");
    CHECK_EQ(remarks(policy, "/home/ada/shop/a/b/c/d/main.c", Visibility::writable), "");
    CHECK_EQ(remarks(policy, "/home/ada/other/a/b/c/d/.env", Visibility::read_only), "");
    CHECK_EQ(remarks(policy, "/home/ada/shop", Visibility::writable), "");
    policy::Policy own = policy;
    own.files.hide[0].origin = {"policy.toml", 1, 1};
    CHECK_EQ(remarks(own, "/home/ada/shop/a/b/c/d/.env", Visibility::writable), "");
  }

  TEST_CASE("the line that took a rule away is told where that rule would have decided") {
    policy::Policy policy = sample_policy();
    policy.files.removals = {{"protect", {"./.git/config", {"policy.toml", 3, 12}}},
                             {"hide", {"./**/*.pem", {"policy.toml", 2, 9}}},
                             {"read-only", {"~/.gitconfig", {"--ro"}}}};
    CHECK_EQ(remarks(policy, "/home/ada/shop/.git/config", Visibility::writable),
             "'./.git/config' was taken out of protect by policy.toml:3:12");
    CHECK_EQ(remarks(policy, "/home/ada/shop/.git/config", Visibility::read_only), "");
    CHECK_EQ(remarks(policy, "/home/ada/shop/a/b.pem", Visibility::writable),
             "'./**/*.pem' was taken out of hide by policy.toml:2:9");
    CHECK_EQ(remarks(policy, "/home/ada/.gitconfig", Visibility::absent),
             "'~/.gitconfig' was taken out of read-only by --ro");
    CHECK_EQ(remarks(policy, "/home/ada/shop/main.c", Visibility::writable), "");
  }
}

}  // namespace agentctl::bwrap
