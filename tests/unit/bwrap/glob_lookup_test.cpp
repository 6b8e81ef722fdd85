// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/clock.h"
#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

GlobBounds wide() { return {monotonic_usec() + 60'000'000}; }

class Project {
 public:
  Project() {
    for (const char* name :
         {"a/.env", "a/b/c/.env", "a/.env.local", "key.pem", "sub/key.pem", "keys/x/id", "[x]/.env"}) {
      dir_.write(name, "x");
    }
  }

  [[nodiscard]] const std::string& path() const { return dir_.path(); }
  void write(const std::string& name) { dir_.write(name, "x"); }
  void link(const std::string& name, const std::string& target) const {
    REQUIRE_EQ(::symlink(target.c_str(), cat(path(), "/", name).c_str()), 0);
  }

  // What an entry matches, without the path of the project.
  [[nodiscard]] std::string matches(const std::string& entry) const {
    const std::string project = top.empty() ? path() : cat(path(), "/", top);
    PathResolver resolver;
    const auto facts = look_up_globs({{entry, origin}}, {"/home/nobody", project}, bounds, resolver);
    if (!facts) return facts.error().message;
    std::string all;
    for (const PathFact& fact : facts->at(entry).matches) all += fact.path.str().substr(project.size()) + " ";
    return all;
  }

  std::string top;
  policy::Origin origin{"policy.toml", 1, 1};
  GlobBounds bounds = wide();

 private:
  test::ScratchDir dir_;
};

}  // namespace

TEST_SUITE("glob_lookup") {
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

  TEST_CASE("where too much matches, directories in which everything matches are taken as a whole") {
    Project project;
    project.top = "a";
    project.bounds.matches = 2;
    CHECK_EQ(project.matches("**/.env*"), "policy.toml:1:1: '**/.env*': matches more than 2 paths");
    project.bounds.matches = 3;
    CHECK_EQ(project.matches("**/.env*"), "/.env /.env.local /b/c/.env ");
    project.top = "";
    CHECK_EQ(project.matches("**/.env*"), "/[x] /a ");
  }

  TEST_CASE("a glob of the built-in default finds files three directories down, and nothing that tools made") {
    Project project;
    for (const char* name :
         {"1/2/3/.env", "1/2/3/4/.env", "node_modules/.env", ".git/.env", ".env.example", ".env/pyvenv.cfg"}) {
      project.write(name);
    }
    project.link("venv.env", "keys");
    CHECK_EQ(project.matches("**/.env*"),
             "/.env /.env.example /.git/.env /1/2/3/.env /1/2/3/4/.env /[x]/.env /a/.env /a/.env.local "
             "/a/b/c/.env /node_modules/.env ");
    project.origin = {"built-in default", 3, 1};
    CHECK_EQ(project.matches("**/.env*"), "/1/2/3/.env /[x]/.env /a/.env /a/.env.local /a/b/c/.env ");
    CHECK_EQ(project.matches("**/*.env"), "/1/2/3/.env /[x]/.env /a/.env /a/b/c/.env ");
  }

  TEST_CASE("what the user's own globs match is watched for, what a built-in one does is not") {
    Project project;
    project.top = "a";
    const std::string top = cat(project.path(), "/a");
    PathResolver resolver;
    GlobWatch watch;
    const policy::Entries entries = {{"**/.env", {"policy.toml", 1, 1}}, {"**/*.pem", {"built-in default", 3, 1}}};
    REQUIRE(look_up_globs(entries, {"/home/nobody", top}, wide(), resolver, &watch));
    project.write("a/new/.env");
    project.write("a/new/x.pem");
    const auto appeared = watch.directories().value()->read();
    const auto found = watch.find(*appeared, [] {});
    REQUIRE(found);
    REQUIRE_EQ(found->size(), 1);
    CHECK_EQ(found->front().path, cat(top, "/new/.env"));
  }
}

}  // namespace agentctl::bwrap
