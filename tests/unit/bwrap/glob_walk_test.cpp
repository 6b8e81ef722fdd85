// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_walk.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

GlobBounds wide() { return {monotonic_usec() + 60'000'000, 100}; }

class Project {
 public:
  Project() {
    for (const char* name :
         {"a/.env", "a/b/c/.env", "a/.env.local", "key.pem", "sub/key.pem", "keys/x/id", "[x]/.env"}) {
      dir_.write(name, "x");
    }
  }

  [[nodiscard]] const std::string& path() const { return dir_.path(); }
  void link(const std::string& name, const std::string& target) const {
    REQUIRE_EQ(::symlink(target.c_str(), cat(path(), "/", name).c_str()), 0);
  }

  // What an entry matches, without the path of the project.
  [[nodiscard]] std::string matches(const std::string& entry) const {
    const std::string project = cat(path(), "/", top);
    PathResolver resolver;
    const auto facts = look_up_globs({{entry, {"policy.toml", 1, 1}}}, {"/home/nobody", project}, resolver);
    if (!facts) return facts.error().message;
    std::string all;
    for (const PathFact& fact : facts->at(entry).matches) all += fact.path.str().substr(project.size()) + " ";
    return all;
  }

  std::string top;

 private:
  test::ScratchDir dir_;
};

}  // namespace

TEST_SUITE("glob_walk") {
  TEST_CASE("a wildcard stays in its directory, and two stars go into all") {
    Project project;
    project.top = "a";
    CHECK_EQ(project.matches("./.env*"), "/.env /.env.local ");
    CHECK_EQ(project.matches("**/.env"), "/.env /b/c/.env ");
    CHECK_EQ(project.matches("*/c/.en?"), "/b/c/.env ");
    CHECK_EQ(project.matches("nothing/*"), "");
  }

  TEST_CASE("a directory that matches is one match, and nothing below it is another") {
    Project project;
    project.top = "keys";
    CHECK_EQ(project.matches("**"), "/x ");
  }

  TEST_CASE("the name of the project is no pattern, and a bracket can be written as itself") {
    Project project;
    project.top = "[x]";
    CHECK_EQ(project.matches("*"), "/.env ");
    project.top = "a";
    CHECK_EQ(project.matches("../\\[x]/.env"),
             "policy.toml:1:1: '../\\[x]/.env': must not look for matches outside of "
             "the project and the home");
  }

  TEST_CASE("a link is a match, and none is followed to look for more") {
    Project project;
    project.link("a/b/.env", "../../sub/key.pem");
    project.link("a/up", "..");
    project.top = "a";
    CHECK_EQ(project.matches("**/.env"), "/.env /b/.env /b/c/.env ");
    CHECK_EQ(project.matches("**/key.pem"), "");
  }

  TEST_CASE("another count of matches, or more time, than allowed is refused") {
    const Project project;
    const policy::Glob glob(cat(project.path(), "/**/.env"));
    GlobBounds bounds = wide();
    CHECK_EQ(find_matches(glob, project.path(), bounds)->paths.size(), 3);
    bounds.matches = 2;
    const auto many = find_matches(glob, project.path(), bounds);
    REQUIRE_FALSE(many);
    CHECK_EQ(many.error().message, "matches, with the other globs, more than 4000 paths");
    bounds = {1, 100};
    const auto late = find_matches(glob, project.path(), bounds);
    REQUIRE_FALSE(late);
    CHECK_EQ(late.error().message, "takes longer than two seconds to look for");
    CHECK_FALSE(late.error().hint.empty());
  }

  TEST_CASE("another file system is told and not entered") {
    const auto found = find_matches(policy::Glob("/*/self"), "/", wide());
    REQUIRE(found);
    CHECK(found->paths.empty());
    CHECK(join(found->left_out, " ").find("'/proc' (another file system)") != std::string::npos);
  }
}

}  // namespace agentctl::bwrap
