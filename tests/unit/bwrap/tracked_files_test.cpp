// SPDX-License-Identifier: Apache-2.0
#include "bwrap/tracked_files.h"

#include <doctest/doctest.h>

#include "tests/support/real_git.h"

namespace agentctl::bwrap {
namespace {

std::vector<const PathFact*> pointers_to(const std::vector<PathFact>& facts) {
  std::vector<const PathFact*> pointers;
  for (const PathFact& fact : facts) pointers.push_back(&fact);
  return pointers;
}

// What is known of places in the working tree of `git`: "a unchanged, keys changed (keys/x)".
std::string tracked(const test::RealGit& git, const std::vector<std::string>& places, const std::string& project = "") {
  PathResolver resolver;
  std::vector<PathFact> hidden;
  for (const std::string& place : places) hidden.push_back(resolver.resolve(cat(git.path(), "/", place)));
  std::vector<std::string> words;
  const HostPath top(project.empty() ? git.path() : cat(git.path(), "/", project));
  const std::vector<const PathFact*> known = pointers_to(hidden);
  for (const auto& [path, fact] : find_tracked({top, {}, known}, resolver).tracked) {
    std::string word = path.substr(git.path().size() + 1);
    if (fact.state == TrackedFact::State::unchanged) word += " unchanged";
    if (fact.state == TrackedFact::State::changed) word += " changed";
    if (fact.state == TrackedFact::State::unknown) word += cat(" unknown: ", fact.why);
    if (fact.file != path) word += cat(" (", fact.file.substr(git.path().size() + 1), ")");
    words.push_back(word);
  }
  return join(words, ", ");
}

// What git does not track of them: "a/.env, b/.env ignored".
std::string untracked(const test::RealGit& git, const std::vector<std::string>& places) {
  PathResolver resolver;
  std::vector<PathFact> hidden;
  for (const std::string& place : places) hidden.push_back(resolver.resolve(cat(git.path(), "/", place)));
  std::vector<std::string> words;
  for (const auto& [path, fact] : find_tracked({HostPath(git.path()), {}, pointers_to(hidden)}, resolver).untracked) {
    words.push_back(cat(path.substr(git.path().size() + 1), " at ", fact.below, fact.is_ignored ? " ignored" : "",
                        fact.overrides_list ? " overriding" : ""));
  }
  return join(words, ", ");
}

}  // namespace

TEST_SUITE("tracked_files") {
  TEST_CASE("a file is told apart by whether git has this very content of it") {
    for (const char* format : {"sha1", "sha256"}) {
      const test::RealGit git(cat("--object-format=", format));
      for (const char* name : {".env", "sub/.env", "keys/a", "keys-old"}) git.add(name, "x");
      git.write("sub/.env", "y");
      git.write("own.env", "x");
      CHECK_EQ(tracked(git, {".env", "sub/.env", "own.env", "gone"}), ".env unchanged, sub/.env changed");
      CHECK_EQ(tracked(git, {"keys"}), "keys changed (keys/a)");
    }
  }

  TEST_CASE("an entry that gives another id shows nothing of a file") {
    const test::RealGit git;
    git.add("other", "known to the agent");
    git.write(".env", "secret");
    git.git("update-index --add --cacheinfo 100644,$(git hash-object other),.env");
    CHECK_EQ(tracked(git, {".env"}), ".env changed");
  }

  TEST_CASE("a file belongs to the repository around it: a submodule, a nested one, none") {
    const test::RealGit git;
    git.add(".env", "x");
    git.git("init -q inner");
    git.write("inner/.env", "x");
    git.git("-C inner add .env");
    git.git("init -q empty");
    git.write("empty/.env", "x");
    CHECK_EQ(tracked(git, {".env", "inner/.env", "empty/.env"}), ".env unchanged, inner/.env unchanged");
    git.git("init -q --separate-git-dir=.git/inner inner");
    CHECK_EQ(tracked(git, {"inner/.env"}), "inner/.env unchanged");
  }

  TEST_CASE("a repository that the session cannot commit to does not count") {
    const test::RealGit git;
    git.add("project/.env", "x");
    CHECK_EQ(tracked(git, {"project/.env"}, "project"), "");
    CHECK_EQ(tracked(git, {"project/.env"}), "project/.env unchanged");
  }

  TEST_CASE("an untracked file is told by its path from the top, and whether git ignores it") {
    const test::RealGit git;
    git.add("kept.env", "x");
    for (const char* name : {"a/.env", "a/own.env", "shown.env", "keys/a"}) git.write(name, "x");
    git.write(".gitignore", "own.env\n");
    git.write(".git/info/exclude", "!shown.env\n");
    CHECK_EQ(untracked(git, {"kept.env", "a/.env", "a/own.env", "shown.env", "keys", "gone"}),
             "a/.env at a/.env, a/own.env at a/own.env ignored, shown.env at shown.env overriding");
    git.git("init -q inner");
    git.write("inner/a/.env", "x");
    CHECK_EQ(untracked(git, {"inner/a/.env"}), "inner/a/.env at a/.env");
    git.git("-C inner config core.excludesFile /nowhere");
    CHECK_EQ(untracked(git, {"inner/a/.env"}), "inner/a/.env at a/.env overriding");
  }

  TEST_CASE("a file without a repository around it is told by its path from the project") {
    const test::RealGit git;
    git.git("init -q && rm -rf .git");
    git.write("a/.env", "x");
    CHECK_EQ(untracked(git, {"a/.env"}), "a/.env at a/.env");
  }

  TEST_CASE("what cannot be read says nothing of any file") {
    const test::RealGit git;
    git.add(".env", "x");
    git.write(".git/index", "DIRC");
    CHECK_EQ(tracked(git, {".env"}), ".env unknown: the git index is cut off");
    git.write(".git/config", "[extensions]\n\tobjectformat = other\n");
    CHECK_EQ(tracked(git, {".env"}), ".env unknown: its object format 'other' is not known here");
    CHECK_EQ(tracked(git, {}), "");
  }
}

}  // namespace agentctl::bwrap
