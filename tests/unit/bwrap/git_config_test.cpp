// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_config.h"

#include <random>

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

std::string draw(std::string_view text) {
  const auto settings = parse_git_config(text);
  if (!settings) return "error: " + settings.error().message;
  std::string out;
  for (const GitSetting& setting : *settings) out += cat(setting.key, "=", printable(setting.value), ";");
  return out;
}

constexpr std::string_view kOrdinary =
    "# made by git\n[core]\n\trepositoryformatversion = 0\n\tbare = false ; not\n[remote \"Origin\"]\n"
    "\turl = \"a b\" \n\tfetch = +refs/heads/*:refs/remotes/Origin/*\n";

TEST_SUITE("git_config") {
  TEST_CASE("settings come out with section and name in lower case") {
    CHECK_EQ(draw(kOrdinary),
             "core.repositoryformatversion=0;core.bare=false;remote.Origin.url=a b;"
             "remote.Origin.fetch=+refs/heads/*:refs/remotes/Origin/*;");
    CHECK_EQ(draw("[CORE]HooksPath=x"), "core.hookspath=x;");
    CHECK_EQ(draw("\xef\xbb\xbf[a]\r\n\tb = c\r\n"), "a.b=c;");
    CHECK_EQ(draw("[a.B]\nc=d"), "a.b.c=d;");
    CHECK_EQ(draw("[a \"x\\\"]\\\\y\"] b = c"), "a.x\"]\\y.b=c;");
    CHECK_EQ(draw(""), "");
  }

  TEST_CASE("a name alone is true") { CHECK_EQ(draw("[a]\nb\nc # x\nd"), "a.b=true;a.c=true;a.d=true;"); }

  TEST_CASE("quotes, escapes, comments and continued lines are taken as git takes them") {
    CHECK_EQ(draw("[a]\nb = \" x # y \" # z"), "a.b= x # y ;");
    CHECK_EQ(draw("[a]\nb = x\\\n  y\nc = z"), "a.b=x  y;a.c=z;");
    CHECK_EQ(draw("[a]\nb = a\\\\b\\\"c"), "a.b=a\\b\"c;");
    CHECK_EQ(draw("[a]\nb =   x  y  \n"), "a.b=x  y;");
  }

  TEST_CASE("a fault anywhere makes the whole text unusable") {
    CHECK_EQ(draw("b = c"), "error: line 1: a name outside of every section");
    CHECK_EQ(draw("[a]\nb = \"c\nd = e"), "error: line 3: a value that is not closed");
    CHECK_EQ(draw("[a]\nb = \\x"), "error: line 2: an escape that means nothing");
    CHECK_EQ(draw("[a\nb = c"), "error: line 2: a section that is not closed");
    CHECK_EQ(draw("[a b]"), "error: line 1: a subsection that is not quoted");
    CHECK_EQ(draw("[a \"b\n\"]"), "error: line 1: a subsection that is not closed");
    CHECK_EQ(draw("[]"), "error: line 1: a section without a name");
    CHECK_EQ(draw("[a]\n= c"), "error: line 2: neither a section nor a name");
    CHECK_EQ(draw("[a]\nb c"), "error: line 2: a name that is followed by something else than '='");
    CHECK_EQ(draw(std::string_view("[a]\nb=\0", 7)), "error: line 1: a NUL byte");
  }

  TEST_CASE("the last value of a key counts") {
    const auto settings = parse_git_config("[core]\nworktree = a\n[core]\nworktree = b\n").value();
    CHECK_EQ(find_setting(settings, "core.worktree"), "b");
    CHECK_FALSE(find_setting(settings, "core.bare").has_value());
  }

  TEST_CASE("no text makes it fall over") {
    std::mt19937 random(20261129);
    const std::string_view pieces = "[]\"\\=#;\n\r\t ab.-\xff";
    for (int round = 0; round < 5000; ++round) {
      std::string text(kOrdinary);
      for (int change = 0; change < 4; ++change) text[random() % text.size()] = pieces[random() % pieces.size()];
      text.resize(random() % (text.size() + 1));
      (void)draw(text);
    }
    CHECK(parse_git_config(kOrdinary).has_value());
  }
}

}  // namespace
}  // namespace agentctl::bwrap
