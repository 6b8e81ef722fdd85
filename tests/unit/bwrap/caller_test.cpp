// SPDX-License-Identifier: Apache-2.0
#include "bwrap/caller.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/host_facts.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

using Environment = std::map<std::string, std::string>;

// A working directory of the test's own, left again at its end.
struct Place {
  test::ScratchDir scratch;
  std::string root = std::filesystem::canonical(scratch.path()).string();
  std::filesystem::path before = std::filesystem::current_path();

  Place() {
    std::filesystem::create_directories(root + "/real/inner");
    std::filesystem::create_directory_symlink("real", root + "/link");
    std::filesystem::current_path(root + "/real");
  }
  ~Place() { std::filesystem::current_path(before); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Result<ProjectFact> find(const std::string& named, const Environment& environment = {}) const {
    PathResolver resolver;
    return find_project(named, environment, resolver);
  }
  void finds(const std::string& named, const Environment& environment, const std::string& logical,
             const std::string& canonical) const {
    const Result<ProjectFact> project = find(named, environment);
    REQUIRE(project.has_value());
    CHECK_EQ(project->logical.str(), root + logical);
    CHECK_EQ(project->canonical.str(), root + canonical);
  }
  void refuses(const std::string& named, int sys_errno, const std::string& ending) const {
    const Result<ProjectFact> project = find(named);
    REQUIRE_FALSE(project.has_value());
    CHECK(project.error().kind == ErrorKind::usage);
    CHECK_EQ(project.error().sys_errno, sys_errno);
    CHECK_MESSAGE(project.error().message.ends_with(ending), project.error().message);
  }
};

TEST_SUITE("caller") {
  TEST_CASE("the project is the working directory, under the name that the shell uses") {
    const Place place;
    place.finds("", {}, "/real", "/real");
    place.finds("", {{"PWD", place.root + "/link"}}, "/link", "/real");
    place.finds("inner", {{"PWD", place.root + "/link"}}, "/link/inner", "/real/inner");
  }

  TEST_CASE("a PWD that is another directory, relative or gone is not believed") {
    const Place place;
    place.finds("", {{"PWD", place.root + "/real/inner"}}, "/real", "/real");
    place.finds("", {{"PWD", "."}}, "/real", "/real");
    place.finds("", {{"PWD", "/nowhere/at/all"}}, "/real", "/real");
  }

  TEST_CASE("a named project keeps its links, but not over '..'") {
    const Place place;
    place.finds(place.root + "/link/", {}, "/link", "/real");
    place.finds(place.root + "/link/inner/..", {}, "/real", "/real");
    place.finds("..", {}, "", "");
  }

  TEST_CASE("a project that is missing or a file is refused") {
    const Place place;
    place.scratch.write("real/file", "x");
    place.refuses("gone", ENOENT, "cannot use 'gone' as the project: not found");
    place.refuses("file", ENOTDIR, "as the project: not a directory");
  }

  TEST_CASE("a working directory that was removed is refused") {
    const Place place;
    std::filesystem::create_directory(place.root + "/doomed");
    std::filesystem::current_path(place.root + "/doomed");
    std::filesystem::remove(place.root + "/doomed");
    place.refuses("", 0, "it is gone or out of reach");
  }

  TEST_CASE("home and user come from the environment, what is missing from the user database") {
    const Account given = find_account(::getuid(), {{"HOME", "/home/x"}, {"USER", "x"}});
    CHECK_EQ(given.home, "/home/x");
    CHECK_EQ(given.user, "x");
    CHECK_EQ(find_account(0, {}).home, "/root");
    CHECK_EQ(find_account(0, {{"HOME", "relative"}, {"LOGNAME", "y"}}).home, "/root");
    CHECK_EQ(find_account(0, {{"LOGNAME", "y"}}).user, "y");
    CHECK_EQ(find_account(54321, {}).user, "54321");
    CHECK_EQ(find_account(54321, {}).home, "");
  }

  TEST_CASE("facts of this machine are gathered, with all that the plan will ask for") {
    const Place place;
    policy::Policy policy;
    policy.files.read_only.push_back(policy::Entry{"~/x", {}});
    const Result<HostFacts> facts = gather_host_facts({place.root + "/link", {"sh"}, policy});
    REQUIRE(facts.has_value());
    CHECK_EQ(facts->uid, ::getuid());
    CHECK_EQ(facts->project.canonical.str(), place.root + "/real");
    CHECK(facts->command.program.kind == PathKind::file);
    CHECK(facts->machine.memory_bytes > 0);
    CHECK(facts->paths.contains(place.root + "/link"));
    CHECK(facts->paths.contains(expand_path("~/x", facts->home.path.str(), "")));
    CHECK(facts->state_dir.ends_with("/agentctl"));
  }

  TEST_CASE("a command that is not there fails the gathering with ENOENT, and the policy's stands in for none") {
    const Place place;
    policy::Policy policy;
    CHECK_EQ(gather_host_facts({"", {"no-such-agent"}, policy}).error().sys_errno, ENOENT);
    CHECK(gather_host_facts({"", {}, policy}).error().kind == ErrorKind::usage);
    policy.command = policy::Setting<std::vector<std::string>>{{"sh", "-i"}, {}};
    CHECK_EQ(gather_host_facts({"", {}, policy}).value().command.words.size(), 2);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
