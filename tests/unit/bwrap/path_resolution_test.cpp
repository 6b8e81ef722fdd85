// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_resolution.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

struct Tree {
  test::ScratchDir scratch;
  std::string root = std::filesystem::canonical(scratch.path()).string();

  void link(const std::string& name, const std::string& target) const {
    std::filesystem::create_directories(std::filesystem::path(root + "/" + name).parent_path());
    REQUIRE_EQ(::symlink(target.c_str(), (root + "/" + name).c_str()), 0);
  }
};

TEST_SUITE("path_resolution") {
  TEST_CASE("a plain path ends where it stands and met no link") {
    const Tree tree;
    tree.scratch.write("a/file", "x");
    const PathFact fact = resolve_path(tree.root + "/a/./file");
    CHECK(fact.kind == PathKind::file);
    CHECK_EQ(fact.path.str(), tree.root + "/a/file");
    CHECK_EQ(fact.canonical.str(), tree.root + "/a/file");
    CHECK(fact.links.empty());
    CHECK(resolve_path(tree.root + "/a").kind == PathKind::directory);
    CHECK(resolve_path("/").kind == PathKind::directory);
    CHECK(resolve_path("/dev/null").kind == PathKind::other);
  }

  TEST_CASE("every link on the way is recorded, in order, with its own text") {
    const Tree tree;
    tree.scratch.write("real/deep/file", "x");
    tree.link("one", "two");
    tree.link("two", tree.root + "/real");
    tree.link("real/way", "deep/../deep/file");
    const PathFact fact = resolve_path(tree.root + "/one/way");
    CHECK_EQ(fact.canonical.str(), tree.root + "/real/deep/file");
    REQUIRE_EQ(fact.links.size(), 3);
    CHECK_EQ(fact.links[0].path.str(), tree.root + "/one");
    CHECK_EQ(fact.links[0].target, "two");
    CHECK_EQ(fact.links[1].path.str(), tree.root + "/two");
    CHECK_EQ(fact.links[2].path.str(), tree.root + "/real/way");
    CHECK_EQ(fact.links[2].target, "deep/../deep/file");
  }

  TEST_CASE("'..' after a link goes up from where the link leads") {
    const Tree tree;
    tree.scratch.write("real/deep/file", "x");
    tree.scratch.write("real/beside", "x");
    tree.link("short", "real/deep");
    CHECK_EQ(resolve_path(tree.root + "/short/../beside").canonical.str(), tree.root + "/real/beside");
  }

  TEST_CASE("a dangling link is absent and tells where it led") {
    const Tree tree;
    tree.link("gone", "nowhere/at/all");
    const PathFact fact = resolve_path(tree.root + "/gone");
    CHECK(fact.kind == PathKind::absent);
    CHECK_EQ(fact.canonical.str(), "");
    REQUIRE_EQ(fact.links.size(), 1);
    CHECK_EQ(fact.links[0].target, "nowhere/at/all");
  }

  TEST_CASE("a ring of links ends, absent") {
    const Tree tree;
    tree.link("a", "b");
    tree.link("b", "a");
    CHECK(resolve_path(tree.root + "/a").kind == PathKind::absent);
  }

  TEST_CASE("nothing is found below a file") {
    const Tree tree;
    tree.scratch.write("file", "x");
    CHECK(resolve_path(tree.root + "/file/below").kind == PathKind::absent);
    CHECK(resolve_path(tree.root + "/missing/below").kind == PathKind::absent);
  }

  TEST_CASE("files that are shown otherwise than by the host are followed as its own") {
    PathResolver resolver([](const std::string& path) {
      SeenPlace seen;
      if (path == "/a") seen.kind = PathKind::directory;
      if (path == "/link") seen.link = true;
      if (seen.link) seen.target = "a/new";
      return seen;
    });
    const PathFact fact = resolver.resolve("/link/x");
    CHECK_EQ(fact.missing.str(), "/a/new/x");
    CHECK_EQ(fact.present.str(), "/a");
    REQUIRE_EQ(fact.links.size(), 1);
    CHECK_EQ(fact.links[0].rest, "x");
  }

  TEST_CASE("of what is missing the last directory is told that is there") {
    const Tree tree;
    tree.scratch.write("real/deep/file", "x");
    tree.link("short", "real/deep");
    for (const auto& [path, present] : std::map<std::string, std::string>{{"/real/no", "/real"},
                                                                          {"/no/such/thing", ""},
                                                                          {"/short/no/thing", "/real/deep"},
                                                                          {"/short/file/below", "/real/deep"}}) {
      CHECK_EQ(resolve_path(tree.root + path).present.str(), tree.root + present);
    }
    CHECK_EQ(resolve_path(tree.root + "/real").present.str(), "");
  }

  TEST_CASE("names are normalized by their text") {
    CHECK_EQ(normalize_path("/a/./b//../c/"), "/a/c");
    CHECK_EQ(normalize_path("/../.."), "/");
    for (const char* same : {"/", "/a", "/.a", "/a/..b", "/a/...", "/a/.../b.", "/..a/b"}) {
      CHECK_EQ(normalize_path(same), same);
    }
    for (const char* other : {"//", "/.", "/..", "/a/..", "/a/.", "/a/", "/a//b", "/a/../b", "/a/./b"}) {
      CHECK_NE(normalize_path(other), other);
    }
    CHECK_EQ(parent_path("/a"), "/");
    CHECK_EQ(parent_path("/a/b"), "/a");
    CHECK_EQ(join_path("/", "a"), "/a");
    CHECK_EQ(join_path("/a", "b"), "/a/b");
  }

  TEST_CASE("a path of the policy counts from the home or from the project") {
    CHECK_EQ(expand_path("~", "/home/u", "/p"), "/home/u");
    CHECK_EQ(expand_path("~/x/", "/home/u", "/p"), "/home/u/x");
    CHECK_EQ(expand_path("$HOME/x", "/home/u", "/p"), "/home/u/x");
    CHECK_EQ(expand_path("./x", "/home/u", "/p"), "/p/x");
    CHECK_EQ(expand_path("../x", "/home/u", "/p/q"), "/p/x");
    CHECK_EQ(expand_path("/x//y", "/home/u", "/p"), "/x/y");
    CHECK_EQ(expand_path("~other/x", "/home/u", "/p"), "/p/~other/x");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
