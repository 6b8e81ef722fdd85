// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/word_split.h"

#include <doctest/doctest.h>

using namespace agentctl;
using namespace agentctl::probe;

namespace {

using Words = std::vector<std::string>;

Result<Words> split(std::string_view line) {
  return split_words(line, [](const std::string& name) -> std::optional<std::string> {
    if (name == "PWD") return "/a b";
    return std::nullopt;
  });
}

void check(std::string_view line, const Words& words) {
  const auto found = split(line);
  REQUIRE(found);
  CHECK(*found == words);
}

}  // namespace

TEST_SUITE_BEGIN("word_split");

TEST_CASE("words, quotes and backslashes are a shell's") {
  check("bwrap --ro-bind / /  --tmpfs\t/tmp\n", {"bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp"});
  check(R"(a'b c'"d e"\ f)", {"ab cd e f"});
  check(R"('' "" a)", {"", "", "a"});
  check(R"("\"\\\a" '\n')", {"\"\\\\a", "\\n"});
  check("a \\\n b # a comment", {"a", "b"});
  check("a#b x~y", {"a#b", "x~y"});
  check("", {});
}

TEST_CASE("a variable is its value, which is never split") {
  check(R"(--bind "$PWD" ${PWD}/x $PWD)", {"--bind", "/a b", "/a b/x", "/a b"});
  check(R"('$PWD' \$PWD)", {"$PWD", "$PWD"});
}

TEST_CASE("what a shell would run, expand otherwise or act on is refused") {
  for (const char* line : {"a | b", "a; b", "a & b", "a > b", "a < b", "$(b)", "`b`", "\"$(b)\"", "\"`b`\"", "a*",
                           "[a]", "~/a", "$1", "${PWD:-x}", "$", "${PWD"}) {
    CAPTURE(line);
    CHECK_FALSE(split(line));
  }
}

TEST_CASE("a variable that is not set is refused, and so is what has no end") {
  for (const char* line : {"$NOTHING", "'a", "\"a", "a\\"}) {
    CAPTURE(line);
    const auto found = split(line);
    REQUIRE_FALSE(found);
    CHECK(found.error().kind == ErrorKind::usage);
  }
}

TEST_SUITE_END();
