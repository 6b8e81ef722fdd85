// SPDX-License-Identifier: Apache-2.0
#include "manager/completion/expectation.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "base/text.h"

namespace agentctl::manager {
namespace {

using Words = std::vector<std::string>;
using Kind = Expectation::Kind;

Words words_of(const Expectation& expected) {
  REQUIRE(expected.kind == Kind::words);
  Words words;
  for (const Candidate& candidate : expected.candidates) words.push_back(candidate.word);
  return words;
}

Kind kind(const Words& words) {
  INFO("words: ", join(words, " "));
  return expect(words).kind;
}

bool offers(const Words& words, const std::string& word) {
  const Words offered = words_of(expect(words));
  return std::find(offered.begin(), offered.end(), word) != offered.end();
}

}  // namespace

TEST_SUITE("expectation") {
  TEST_CASE("the first word is a command, and has its help") {
    CHECK(offers({""}, "start"));
    CHECK(offers({"st"}, "profile"));  // what does not fit is left out by who asks
    CHECK_FALSE(offers({""}, "supervise"));
    CHECK_FALSE(offers({""}, "complete"));
    CHECK(expect({""}).candidates.front().help.find("sandbox") != std::string::npos);
  }

  TEST_CASE("options are those of the command, and only where one begins") {
    CHECK(offers({"start", "-"}, "--memory-max"));
    CHECK(offers({"stop", "--g"}, "--grace"));
    CHECK_FALSE(offers({"stop", "--"}, "--memory-max"));
    CHECK(offers({"-"}, "--version"));
    CHECK(offers({"profile", "new", "-"}, "--from"));
  }

  TEST_CASE("the values that a help lists are offered, after a blank and after '='") {
    CHECK(words_of(expect({"start", "--home", ""})) == Words{"private", "persistent", "read-only"});
    CHECK(words_of(expect({"start", "--net=h"})) == Words{"--net=nat", "--net=allowlist", "--net=host", "--net=none"});
    CHECK(words_of(expect({"start", "--manager", "p"})) == Words{"auto", "user", "system", "private"});
    CHECK(words_of(expect({"explain", "--oom", ""})) == Words{"process", "session"});
    CHECK(words_of(expect({"completion", ""})) == Words{"bash", "zsh", "fish"});
  }

  TEST_CASE("every option of every command says what its value is") {
    for (const std::string& verb : words_of(expect({""}))) {
      for (const std::string& option : words_of(expect({verb, "-"}))) {
        CHECK(kind({verb, option, ""}) != Kind::unknown);
        CHECK(kind({verb, option + "="}) != Kind::unknown);
      }
      CHECK(kind({verb, ""}) != Kind::unknown);
      CHECK(kind({verb, "x", ""}) != Kind::unknown);
    }
  }

  TEST_CASE("a name is that of a session that runs, or has ended where that can be meant") {
    for (const char* verb : {"stop", "attach", "status", "set", "pause", "resume", "publish", "unpublish", "allow",
                             "deny", "cgroup", "exec"})
      CHECK(kind({verb, ""}) == Kind::running_sessions);
    for (const char* verb : {"receipt", "logs"}) CHECK(kind({verb, ""}) == Kind::known_sessions);
    CHECK(kind({"stop", "--kill", "a", ""}) == Kind::running_sessions);
    CHECK(kind({"stop", "--grace", ""}) == Kind::nothing);
    CHECK(kind({"attach", "a", ""}) == Kind::nothing);
    CHECK(kind({"allow", "a", ""}) == Kind::nothing);
    CHECK(kind({"start", "--allow", ""}) == Kind::nothing);
    CHECK(kind({"profile", "show", ""}) == Kind::profiles);
    CHECK(kind({"start", "-p", ""}) == Kind::profiles);
    CHECK(kind({"profile", "list", ""}) == Kind::nothing);
  }

  TEST_CASE("limits are offered to set, those that can be set") {
    CHECK(offers({"set", "name", ""}, "memory-max="));
    CHECK(offers({"set", "name", "memory-max=1G", ""}, "tasks-max="));
    CHECK_FALSE(offers({"set", "name", ""}, "oom="));
    CHECK(kind({"set", ""}) == Kind::running_sessions);
  }

  TEST_CASE("paths are the shell's, and so is all of the command that is started") {
    CHECK(kind({"start", "--ro", ""}) == Kind::files);
    CHECK(expect({"start", "--ro=/e"}).kept == "--ro=");
    CHECK(expect({"start", "-C/e"}).kept == "-C");
    CHECK(kind({"start", "-C", ""}) == Kind::directories);
    CHECK(kind({"trust", ""}) == Kind::directories);
    CHECK(kind({"explain", ""}) == Kind::files);
    CHECK(kind({"start", "--env", ""}) == Kind::variables);
    CHECK(expect({"start", ""}).command_at == 1);
    CHECK(expect({"start", "-q", "make", "--d"}).command_at == 2);
    CHECK(expect({"start", "--name", "n", "--", "make", "--d"}).command_at == 4);
    CHECK(expect({"start", "--", "-x"}).command_at == 2);
    CHECK(expect({"exec", "name", "ls", "-"}).command_at == 2);
    CHECK(expect({"exec", "name", "--", ""}).command_at == 3);
    CHECK(kind({"exec", "name", "--", ""}) == Kind::command);
  }

  TEST_CASE("a shortened command is understood, and what is none has nothing") {
    CHECK(kind({"stat", ""}) == Kind::running_sessions);
    CHECK(kind({"nosuch", ""}) == Kind::nothing);
    CHECK(kind({"sta", ""}) == Kind::nothing);
    CHECK(kind({
              "stop",
              "--nosuch=",
          }) == Kind::nothing);
    CHECK(kind({
              "stop",
              "--kill=",
          }) == Kind::nothing);
  }
}

}  // namespace agentctl::manager
