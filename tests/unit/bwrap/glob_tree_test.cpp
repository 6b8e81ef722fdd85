// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_tree.h"

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

const std::vector<std::string> kNone;

// /p with a file; /p/full with two hits and /p/full/in with one; /p/part with a hit and another file.
std::vector<WalkedDirectory> sample() {
  return {{"/p", 0, 3, true}, {"/p/full", 0, 3, true}, {"/p/part", 0, 2, true}, {"/p/full/in", 1, 1, true}};
}
const std::vector<GlobHit> kHits = {{1, "a"}, {1, "b"}, {3, "c"}, {2, "d"}};

}  // namespace

TEST_SUITE("glob_tree") {
  TEST_CASE("the shallowest directory in which everything matches stands for it") {
    const CollapsedHits collapsed = collapse_hits(sample(), kHits, kNone);
    REQUIRE_EQ(collapsed.directories.size(), 1);
    CHECK_EQ(collapsed.directories[0].path, "/p/full");
    CHECK_EQ(collapsed.directories[0].hits, 3);
    REQUIRE_EQ(collapsed.hits.size(), 1);
    CHECK_EQ(collapsed.hits[0].name, "d");
  }

  TEST_CASE("a directory that is to be kept leaves it to those below it") {
    const CollapsedHits collapsed = collapse_hits(sample(), kHits, {"/p/full", "/q"});
    REQUIRE_EQ(collapsed.directories.size(), 1);
    CHECK_EQ(collapsed.directories[0].path, "/p/full/in");
    CHECK_EQ(collapsed.hits.size(), 3);
  }

  TEST_CASE("a directory that was not read to its end, or is empty, is never full") {
    std::vector<WalkedDirectory> directories = sample();
    directories[3].is_read = false;
    CHECK_EQ(collapse_hits(directories, kHits, kNone).directories.size(), 0);
    directories[3] = {"/p/full/in", 1, 0, true};
    CHECK_EQ(collapse_hits(directories, {{1, "a"}, {1, "b"}}, kNone).directories.size(), 0);
  }
}

}  // namespace agentctl::bwrap
