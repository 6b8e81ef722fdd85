// SPDX-License-Identifier: Apache-2.0
#include "bwrap/ignore_lookup.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/real_git.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kNever = ~0ULL;

// What git check-ignore says: 0 ignored, 1 not.
bool git_ignores(const test::RealGit& git, const std::string& path) {
  const std::string command = cat("cd ", shell_quote(git.path()), " && env -i PATH=\"$PATH\" HOME=", git.path(),
                                  " git check-ignore -q -- ", shell_quote(path));
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_SUITE("ignore_lookup") {
  TEST_CASE("what git ignores is ignored, by the file that is nearest") {
    const test::RealGit git;
    git.write(".gitignore", "*.env\nkeys/\n!keys/shown\n/top\nsub/deep/*.key\n**/any/x\n.secret*\n");
    git.write("sub/.gitignore", "!b.env\n/c\n");
    git.write("sub/deep/.gitignore", "*\n!.gitignore\n!keep.env\n");
    git.write(".git/info/exclude", "excluded\n!a.env\n");
    IgnoreLookup lookup(git.path(), git.path() + "/.git", kNever);
    for (const char* path : {"a.env",
                             "sub/a.env",
                             "sub/b.env",
                             "sub/c",
                             "c",
                             "keys/shown",
                             "a/keys/x",
                             "top",
                             "sub/top",
                             "sub/deep/k.key",
                             "sub/deep/keep.env",
                             "sub/deep/other",
                             "b/any/x",
                             "any/x",
                             "any/y",
                             "excluded",
                             "sub/excluded",
                             ".secret.txt",
                             "plain",
                             "sub/deep/.gitignore"}) {
      git.write(path, "x");
      CAPTURE(path);
      CHECK_EQ(lookup.look(path) == IgnoreVerdict::ignored, git_ignores(git, path));
    }
    CHECK(lookup.look("sub/b.env") == IgnoreVerdict::included);
    CHECK(lookup.look("plain") == IgnoreVerdict::unsaid);
  }

  TEST_CASE("what there is no time for counts as not ignored") {
    const test::RealGit git;
    git.write(".gitignore", "x\n");
    CHECK(IgnoreLookup(git.path(), git.path() + "/.git", 0).look("x") == IgnoreVerdict::included);
  }

  TEST_CASE("a link in place of an ignore file is not followed, a file too large counts for nothing ignored") {
    const test::RealGit git;
    git.write("elsewhere", "*\n");
    REQUIRE_EQ(::symlink("elsewhere", (git.path() + "/.gitignore").c_str()), 0);
    CHECK(IgnoreLookup(git.path(), git.path() + "/.git", kNever).look("x") == IgnoreVerdict::unsaid);
    git.write("sub/.gitignore", std::string(1U << 19, '\n'));
    CHECK(IgnoreLookup(git.path(), git.path() + "/.git", kNever).look("sub/x") == IgnoreVerdict::included);
  }
}

}  // namespace agentctl::bwrap
