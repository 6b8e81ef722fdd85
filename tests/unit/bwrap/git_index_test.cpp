// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_index.h"

#include <random>

#include <doctest/doctest.h>

#include "tests/support/real_git.h"

namespace agentctl::bwrap {
namespace {

// The paths with a space after each, or what is wrong.
std::string paths_of(const std::string& bytes, GitHash hash = GitHash::sha1) {
  std::string paths;
  const auto read = read_git_index(bytes, hash, [&](const GitIndexEntry& entry) { paths += cat(entry.path, " "); });
  return read ? paths : read.error().message;
}

void add_some(const test::RealGit& git) {
  for (const char* name : {".env", "a/.env", "a/b/key.pem", "a/b/key.pem.pub", "a.c", "long/name/of/a/file"})
    git.add(name, name);
  git.git("commit -qm one");
}
constexpr const char* kSome = ".env a.c a/.env a/b/key.pem a/b/key.pem.pub long/name/of/a/file ";

std::string replaced(std::string bytes, std::size_t at, const std::string& by) {
  return bytes.replace(at, by.size(), by);
}

}  // namespace

TEST_SUITE("git_index") {
  TEST_CASE("every version that git writes gives the paths, sorted") {
    const test::RealGit git;
    add_some(git);
    CHECK_EQ(paths_of(git.index()), kSome);
    git.git("update-index --index-version 4");
    CHECK_EQ(git.index()[7], 4);
    CHECK_EQ(paths_of(git.index()), kSome);
    git.git("update-index --skip-worktree a/.env");
    git.git("update-index --index-version 2");  // to 3 by itself, for what 2 has no place for
    CHECK_EQ(git.index()[7], 3);
    CHECK_EQ(paths_of(git.index()), kSome);
    git.git("update-index --untracked-cache --index-version 4");
    git.git("-c index.threads=4 status");
    CHECK_EQ(paths_of(git.index()), kSome);
  }

  TEST_CASE("SHA-256 is read where it is expected, and nothing else") {
    const test::RealGit git("--object-format=sha256");
    add_some(git);
    CHECK_EQ(paths_of(git.index(), GitHash::sha256), kSome);
    CHECK(paths_of(git.index(), GitHash::sha1).starts_with("the git index "));
  }

  TEST_CASE("an entry has the id of the content and its mode") {
    const test::RealGit git;
    git.add("x", "hello\n");
    std::string id;
    REQUIRE(read_git_index(git.index(), GitHash::sha1, [&](const GitIndexEntry& entry) {
      CHECK_EQ(entry.mode, 0100644);
      id = entry.id;
    }));
    CHECK_EQ(id, "\xce\x01\x36\x25\x03\x0b\xa8\xdb\xa9\x06\xf7\x56\x96\x7f\x9e\x9c\xa3\x94\x46\x4a");
  }

  TEST_CASE("an index that is split, or lists directories, is refused with what makes it whole") {
    const test::RealGit git;
    add_some(git);
    git.git("update-index --split-index");
    const auto ignore = [](const GitIndexEntry&) {};
    const auto split = read_git_index(git.index(), GitHash::sha1, ignore);
    REQUIRE_FALSE(split);
    CHECK_EQ(split.error().message, "the git index is split into two files");
    CHECK(split.error().hint.starts_with("'git update-index --no-split-index'"));
    git.git("update-index --no-split-index");
    git.git("sparse-checkout set --cone --sparse-index long");
    CHECK_EQ(paths_of(git.index()), "the git index lists whole directories instead of files");
    git.git("sparse-checkout reapply --no-sparse-index");
    CHECK_EQ(paths_of(git.index()), kSome);
  }

  TEST_CASE("an index that is cut off is refused, unless what is missing comes after the last path") {
    const test::RealGit git;
    add_some(git);
    for (const char* version : {"2", "4"}) {
      git.git(cat("update-index --index-version ", version));
      const std::string whole = git.index();
      for (std::size_t length = 0; length < whole.size(); ++length) {
        const std::string paths = paths_of(whole.substr(0, length));
        REQUIRE_MESSAGE((paths.starts_with("the git index ") || paths == kSome), length);
        if (length < whole.size() / 2) REQUIRE(paths != kSome);
      }
    }
  }

  TEST_CASE("an index that lies is refused") {
    const test::RealGit git;
    git.add("abc", "x");
    git.add("b", "x");
    const std::string index = git.index();
    constexpr std::size_t kEntry = 12;
    CHECK_EQ(paths_of(replaced(index, 0, "DIRX")), "the git index does not begin as one");
    CHECK_EQ(paths_of(replaced(index, 7, "\5")), "the git index is of version 5, not 2 to 4");
    CHECK(paths_of(replaced(index, 8, "\xff\xff\xff\xff")).starts_with("the git index "));
    CHECK_EQ(paths_of(replaced(index, kEntry + 61, "\2")), "the git index gives a path and another length of it");
    CHECK_EQ(paths_of(replaced(index, kEntry + 62, "z")), "the git index is not sorted");
    CHECK_EQ(paths_of(replaced(index, kEntry + 62, "/")), "the git index has a path that git does not write");
    CHECK_EQ(paths_of(replaced(index, kEntry + 66, "x")), "the git index has something between its entries");
    CHECK(paths_of(replaced(index, kEntry + 26, "\x10")).starts_with("the git index has an entry that is neither"));
    const std::string unknown = std::string("link") + std::string("\0\0\0\0", 4);
    CHECK_EQ(paths_of(std::string(index).insert(index.size() - 20, unknown)), "the git index is split into two files");
    const std::string other = std::string("zzzz") + std::string("\0\0\0\0", 4);
    CHECK(paths_of(std::string(index).insert(index.size() - 20, other)).find("'zzzz'") != std::string::npos);
    const std::string huge = std::string("TREE") + std::string("\xff\xff\xff\xff", 4);
    CHECK_EQ(paths_of(std::string(index).insert(index.size() - 20, huge)), "the git index is cut off");
  }

  TEST_CASE("bytes changed at random are read or refused, and never more") {
    const test::RealGit git;
    add_some(git);
    git.git("update-index --index-version 4");
    const std::string index = git.index();
    std::mt19937 random(7);
    for (int round = 0; round < 20000; ++round) {
      std::string changed = index;
      for (int times = 0; times < 3; ++times) changed[random() % changed.size()] = static_cast<char>(random());
      (void)read_git_index(changed, GitHash::sha1, [](const GitIndexEntry& entry) { CHECK_FALSE(entry.path.empty()); });
    }
  }
}

}  // namespace agentctl::bwrap
