// SPDX-License-Identifier: Apache-2.0
#include "bwrap/project_rules.h"

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

using Rules = std::vector<std::string>;

policy::Entry entry(const std::string& text) {
  policy::Entry made;
  made.text = text;
  return made;
}

HostFacts facts_of_linked_project() {
  HostFacts facts;
  facts.home.path = HostPath("/home/u");
  facts.project.canonical = HostPath("/data/p");
  facts.project.logical = HostPath("/home/u/p");
  return facts;
}

}  // namespace

TEST_CASE("rules of the project are absolute and canonical, whether something is there or not") {
  policy::FileSettings files;
  files.hide = {entry("./.env"), entry("~/p/keys"), entry("~/.ssh")};
  files.protect = {entry("/data/p/.git/config"), entry("/data/px")};
  CHECK(project_rules(files, facts_of_linked_project()) ==
        Rules{"hide /data/p/.env", "hide /data/p/keys", "protect /data/p/.git/config"});
}

TEST_CASE("the same rules, or more, miss nothing") {
  CHECK(find_missing_rules({"hide /p/.env", "protect /p/x"}, {"hide /p/.env"}).empty());
  CHECK(find_missing_rules({}, {}).empty());
}

TEST_CASE("a rule that another session lacks is named") {
  CHECK(find_missing_rules({"protect /p/x"}, {"hide /p/.env", "protect /p/x"}) == Rules{"hide /p/.env"});
}

TEST_CASE("what is only protected is not hidden, what is hidden is protected") {
  CHECK(find_missing_rules({"protect /p/.env"}, {"hide /p/.env"}) == Rules{"hide /p/.env"});
  CHECK(find_missing_rules({"hide /p/.env"}, {"protect /p/.env"}).empty());
}

TEST_CASE("a rule on a directory keeps what lies in it, one on a file beside it does not") {
  CHECK(find_missing_rules({"hide /p/keys"}, {"hide /p/keys/a"}).empty());
  CHECK(find_missing_rules({"hide /p/keys/a"}, {"hide /p/keys"}) == Rules{"hide /p/keys"});
  CHECK(find_missing_rules({"hide /p/key"}, {"hide /p/keys"}) == Rules{"hide /p/keys"});
}

}  // namespace agentctl::bwrap
