// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_walk.h"

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

std::uint64_t in_a_minute() { return monotonic_usec() + 60'000'000; }

GlobSet globs(const std::string& base, const std::vector<std::string>& patterns) {
  std::vector<WalkedGlob> all;
  for (const std::string& pattern : patterns) {
    all.push_back({policy::Glob(cat(base, "/", pattern)), cat("policy.toml:1:1: '", pattern, "'")});
  }
  return GlobSet(std::move(all));
}

std::string hits_of(const WalkResult& result, std::size_t glob) {
  std::string all;
  for (const GlobHit& hit : result.hits[glob]) all += cat(result.directories[hit.directory].path, "/", hit.name, " ");
  return all;
}

}  // namespace

TEST_SUITE("glob_walk") {
  TEST_CASE("one walk finds what each of several globs matches, and counts what lies in each directory") {
    test::ScratchDir scratch;
    for (const char* name : {"a/x.key", "a/y.key", "a/b/x.pem", "c/x.key/in.key"}) scratch.write(name, "x");
    const std::string& base = scratch.path();
    const auto walked = walk_for_globs(globs(base, {"**/*.key", "**/*.pem", "*/b/*"}), base, in_a_minute());
    REQUIRE(walked);
    CHECK_EQ(walked->hits[0].size(), 3);
    CHECK(hits_of(*walked, 0).find("in.key") == std::string::npos);
    CHECK_EQ(hits_of(*walked, 1), cat(base, "/a/b/x.pem "));
    CHECK_EQ(hits_of(*walked, 2), cat(base, "/a/b/x.pem "));
    REQUIRE_EQ(walked->directories.size(), 5);
    CHECK_EQ(walked->directories[0].path, base);
    CHECK_EQ(walked->directories[0].entries, 2);
    for (const WalkedDirectory& directory : walked->directories) CHECK(directory.is_read);
  }

  TEST_CASE("more time than allowed is refused by the name of a rule") {
    test::ScratchDir scratch;
    scratch.write("a/.env", "x");
    const auto late = walk_for_globs(globs(scratch.path(), {"**/.env"}), scratch.path(), 1);
    REQUIRE_FALSE(late);
    CHECK_EQ(late.error().message, "policy.toml:1:1: '**/.env': takes longer than two seconds to look for");
    CHECK_FALSE(late.error().hint.empty());
  }

  TEST_CASE("another file system is told and not entered") {
    const auto walked = walk_for_globs(GlobSet({{policy::Glob("/*/self"), "rule"}}), "/", in_a_minute());
    REQUIRE(walked);
    CHECK(walked->hits[0].empty());
    CHECK(join(walked->left_out, " ").find("'/proc' (another file system)") != std::string::npos);
  }
}

}  // namespace agentctl::bwrap
