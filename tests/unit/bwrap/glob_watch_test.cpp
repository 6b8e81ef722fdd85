// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_watch.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

class Watched {
 public:
  explicit Watched(const std::vector<std::string>& patterns, const std::string& below = "") {
    dir.write("a/b/file", "x");
    dir.write("node_modules/p/.env", "x");
    std::vector<WalkedGlob> globs;
    const std::string base = cat(dir.path(), below);
    for (const std::string& pattern : patterns) {
      globs.push_back({policy::Glob(cat(base, "/", pattern)), pattern});
    }
    auto started = watch.start(std::make_shared<const GlobSet>(std::move(globs)), base, monotonic_usec() + 60'000'000);
    REQUIRE(started);
    for (const std::vector<GlobHit>& hits : started->hits) at_start += hits.size();
  }

  void make(const std::string& name) const { dir.write(name, "x"); }
  void rename(const std::string& from, const std::string& to) const {
    REQUIRE_EQ(std::rename(cat(dir.path(), "/", from).c_str(), cat(dir.path(), "/", to).c_str()), 0);
  }

  // Without the path of the project; sorted, each once.
  std::string found(Appeared appeared) {
    const auto matches = watch.find(appeared, [&] { held_still = true; });
    if (!matches) return matches.error().message;
    std::vector<std::string> paths;
    for (const NewMatch& match : *matches) paths.push_back(match.path.substr(dir.path().size() + 1));
    std::sort(paths.begin(), paths.end());
    paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
    return join(paths, " ");
  }
  std::string found() { return found(watch.directories().value()->read().value()); }

  test::ScratchDir dir;
  GlobWatch watch;
  std::size_t at_start = 0;
  bool held_still = false;
};

Plan plan_of(const std::vector<std::string>& trees) {
  Plan plan;
  for (const std::string& tree : trees) {
    Operation bind;
    bind.source = HostPath(tree);
    bind.destination = SandboxPath(tree);
    plan.operations.push_back(std::move(bind));
  }
  return plan;
}

}  // namespace

TEST_SUITE("glob_watch") {
  TEST_CASE("a new name that matches is found, another is not") {
    Watched project({"**/.env", "*/*.key"});
    project.make(".env");
    project.make("env");
    project.make("a/b/.env");
    project.make("a/x.key");
    project.make("a/b/x.key");
    CHECK_EQ(project.found(), ".env a/b/.env a/x.key");
    CHECK_EQ(project.found(), "");
    CHECK_FALSE(project.held_still);
  }

  TEST_CASE("what is in a new directory is found, and what is made in it later") {
    Watched project({"**/.env"});
    project.make("new/deep/.env");
    CHECK_EQ(project.found(), "new/deep/.env");
    project.make("new/.env");
    CHECK_EQ(project.found(), "new/.env");
  }

  TEST_CASE("a directory that is renamed is watched under its new name, whether it matches there or not") {
    Watched project({"[a]/**/.env"});
    project.rename("a/b", "a/c");
    CHECK_EQ(project.found(), "");
    project.make("a/c/.env");
    CHECK_EQ(project.found(), "a/c/.env");
    project.rename("a", "z");
    project.rename("z", "a");
    CHECK_EQ(project.found(), "a/c/.env");
  }

  TEST_CASE("node_modules is looked into at the start only, unless a glob begins in it") {
    Watched project({"**/.env"});
    CHECK_EQ(project.at_start, 1);
    project.make("node_modules/p/q/.env");
    project.make("a/node_modules/.env");
    CHECK_EQ(project.found(), "");
    Watched packages({"**/.env"}, "/node_modules");
    packages.make("node_modules/p/q/.env");
    CHECK_EQ(packages.found(), "node_modules/p/q/.env");
    CHECK(is_unwatched("/p/.git/objects/ab", "/p"));
    CHECK_FALSE(is_unwatched("/p/objects/ab", "/p"));
    CHECK_FALSE(is_unwatched("/p/node_modules_old", "/p"));
  }

  TEST_CASE("where the kernel dropped events everything is looked for again, while all is held still") {
    Watched project({"**/.env"});
    project.make("a/b/.env");
    Appeared dropped;
    dropped.dropped = true;
    CHECK_EQ(project.found(dropped), "a/b/.env");
    CHECK(project.held_still);
  }

  TEST_CASE("many new directories are read while all is held still") {
    Watched project({"**/.env"});
    for (int number = 0; number < 40; ++number) project.make(cat("new/", number, "/x"));
    CHECK_EQ(project.found(), "");
    CHECK(project.held_still);
  }

  TEST_CASE("a directory that a glob begins in is looked for when it may have come, and may be another than before") {
    Watched project({"*.key"}, "/conf/deep");
    const auto appeared = [&](const std::string& name) {
      Appeared seen;
      seen.paths = {cat(project.dir.path(), "/", name)};
      return seen;
    };
    CHECK(project.watch.concerns(cat(project.dir.path(), "/conf")));
    CHECK_FALSE(project.watch.concerns(cat(project.dir.path(), "/a")));
    project.make("conf/deep/a.key");
    CHECK_EQ(project.found(appeared("a")), "");
    CHECK_EQ(project.found(appeared("conf")), "conf/deep/a.key");
    project.make("conf/deep/b.key");
    CHECK_EQ(project.found(), "conf/deep/b.key");
    project.rename("conf", "gone");
    project.make("conf/deep/c.key");
    CHECK_EQ(project.found(appeared("conf")), "conf/deep/c.key");
  }

  TEST_CASE("what was made in a directory that a glob begins in while it lay elsewhere is found when it is back") {
    Watched project({"*.key"}, "/conf");
    project.make("conf/a.key");
    Appeared back;
    back.paths = {cat(project.dir.path(), "/conf")};
    CHECK_EQ(project.found(back), "conf/a.key");
    project.rename("conf", "elsewhere");
    project.make("elsewhere/b.key");
    (void)project.found();
    project.rename("elsewhere", "conf");
    CHECK_EQ(project.found(back), "conf/a.key conf/b.key");
  }

  TEST_CASE("what is shown by its name is left alone by the glob against which it was named, and by no other") {
    Watched project({"**/.env", "*.key"});
    const std::string top = project.dir.path();
    project.watch.narrow(HostTrees(plan_of({top})), {{cat(top, "/.env"), "**/.env"}, {cat(top, "/a.key"), "other"}});
    project.make(".env");
    project.make("a.key");
    project.make("a/.env");
    CHECK_EQ(project.found(), "a.key a/.env");
  }

  TEST_CASE("what is not seen inside is not watched") {
    Watched project({"**/.env"});
    project.watch.narrow(HostTrees(plan_of({cat(project.dir.path(), "/a"), cat(project.dir.path(), "/c/d")})));
    project.make(".env");
    project.make("a/b/.env");
    project.make("c/.env");
    CHECK_EQ(project.found(), "a/b/.env");
    project.make("c/d/.env");
    Appeared dropped;
    dropped.dropped = true;
    CHECK_EQ(project.found(dropped), "a/b/.env c/d/.env");
    project.make("c/d/e/.env");
    CHECK_EQ(project.found(), "c/d/e/.env");
  }

  TEST_CASE("the directories above the one that a glob begins in are told as far as they are seen inside") {
    Watched project({"*.key"}, "/conf/deep");
    const std::string top = project.dir.path();
    project.watch.narrow(HostTrees(plan_of({top})));
    CHECK_EQ(project.watch.directories_above(), std::set<std::string>{top, cat(top, "/conf")});
    Watched whole({"*.key"});
    whole.watch.narrow(HostTrees(plan_of({whole.dir.path()})));
    CHECK(whole.watch.directories_above().empty());
    CHECK_FALSE(whole.watch.concerns(whole.dir.path()));
  }
}

}  // namespace agentctl::bwrap
