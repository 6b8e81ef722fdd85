// SPDX-License-Identifier: Apache-2.0
#include "manager/git_config_keys.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

std::string running(std::string_view text) { return join(read_git_config_keys(text).running, " "); }

}  // namespace

TEST_SUITE("git configuration keys") {
  TEST_CASE("keys by which git runs something are named, whatever their case and form") {
    CHECK(running("[core]\n\tFSMonitor = ./x\n\thooksPath=h\n[ALIAS]\nst = !x\n") ==
          "core.fsmonitor core.hookspath alias.st");
    CHECK(running("[core] sshCommand = x\n") == "core.sshcommand");
    CHECK(running("[filter \"l f\\\"s\"]\n clean = x\n[diff.img]\n textconv = y\n") ==
          "filter.l f\"s.clean diff.img.textconv");
    CHECK(running("[includeIf \"gitdir:/a/\"] path = x\r\n[credential]\r\n helper=x\r\n") ==
          "includeif.gitdir:/a/.path credential.helper");
    CHECK(running("[core]\nfsmonitor\n") == "core.fsmonitor");
  }

  TEST_CASE("what every repository has runs nothing") {
    CHECK(running("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                  "[remote \"origin\"]\n\turl = git@h:x\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
                  "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n[user]\n\tname = A\n")
              .empty());
  }

  TEST_CASE("comments, strings and continued lines hide no key and make none") {
    CHECK(running("# [alias]\n; x = 1\n[user]\nname = \"[alias]\\n st = x\" ; [core]\n").empty());
    CHECK(running("[user]\nname = a \\\n[alias]\n[core]\npager = x\n") == "core.pager");
  }

  TEST_CASE("the last core.hooksPath counts, without quotes and comments") {
    CHECK(read_git_config_keys("[core]\nhooksPath = a\nhooksPath = \"my hooks\" # x\n").hooks_path == "my hooks");
    CHECK(read_git_config_keys("[other]\nhooksPath = a\n").hooks_path.empty());
  }

  TEST_CASE("what git would refuse is damaged, and still searched") {
    for (const char* text : {"x = 1\n", "[core\nx = 1\n", "[]\n", "[core]\n=x\n", "[core]\na b = x\n"}) {
      CHECK_MESSAGE(read_git_config_keys(text).damaged, text);
    }
    CHECK_FALSE(read_git_config_keys("[a]\nb = c\n\n[d \"e\"] # x\n").damaged);
    CHECK(running("x\n[alias]\nst = x\n") == "alias.st");
    CHECK_FALSE(read_git_config_keys("").damaged);
    CHECK(read_git_config_keys("\\\n[\"\\").damaged);
  }
}

}  // namespace agentctl::manager
