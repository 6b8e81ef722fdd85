// SPDX-License-Identifier: Apache-2.0
#include "bwrap/tree_removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

UniqueFd open_directory(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

TEST_SUITE("tree_removal") {
  TEST_CASE("a tree goes with all that is in it, and what links in it lead to stays") {
    const test::ScratchDir scratch;
    const std::string kept = scratch.write("kept/file", "x");
    const std::string top = scratch.path() + "/tree";
    scratch.write("tree/a/b/c", "x");
    scratch.write("tree/closed/file", "x");
    REQUIRE_EQ(::symlink((scratch.path() + "/kept").c_str(), (top + "/a/link").c_str()), 0);
    REQUIRE_EQ(::chmod((top + "/closed").c_str(), 0555), 0);
    const UniqueFd parent = open_directory(scratch.path());
    const auto removed = remove_tree(parent.get(), "tree", monotonic_usec() + 10'000'000);
    REQUIRE(removed.has_value());
    CHECK(*removed);
    CHECK_FALSE(exists(top));
    CHECK(exists(kept));
  }

  TEST_CASE("a link in place of the tree is not followed") {
    const test::ScratchDir scratch;
    const std::string kept = scratch.write("kept/file", "x");
    REQUIRE_EQ(::symlink("kept", (scratch.path() + "/tree").c_str()), 0);
    const UniqueFd parent = open_directory(scratch.path());
    CHECK_FALSE(remove_tree(parent.get(), "tree", monotonic_usec() + 10'000'000).has_value());
    CHECK(exists(kept));
    CHECK(exists(scratch.path() + "/tree"));
  }

  TEST_CASE("what lies too deep and what the time does not suffice for stays") {
    const test::ScratchDir scratch;
    std::string deep = "tree";
    for (int level = 0; level < 140; ++level) deep += "/d";
    scratch.write(deep + "/file", "x");
    const UniqueFd parent = open_directory(scratch.path());
    CHECK_FALSE(remove_tree(parent.get(), "tree", monotonic_usec() + 10'000'000).has_value());
    CHECK(exists(scratch.path() + "/" + deep + "/file"));
    const auto late = remove_tree(parent.get(), "tree", 0);
    REQUIRE(late.has_value());
    CHECK_FALSE(*late);
  }
}

}  // namespace agentctl::bwrap
