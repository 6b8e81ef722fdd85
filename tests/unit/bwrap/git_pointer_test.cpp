// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_pointer.h"

#include <doctest/doctest.h>

namespace agentctl::bwrap {
namespace {

std::string gitfile(std::string_view text) {
  const auto path = parse_gitfile(text);
  return path ? *path : "error: " + path.error().message;
}

TEST_SUITE("git_pointer") {
  TEST_CASE("a .git file names one path") {
    CHECK_EQ(gitfile("gitdir: /home/ada/main/.git/worktrees/x\n"), "/home/ada/main/.git/worktrees/x");
    CHECK_EQ(gitfile("gitdir: ../.git/modules/part"), "../.git/modules/part");
    CHECK_EQ(gitfile("gitdir: a b\r\n"), "a b");
    CHECK_EQ(gitfile("gitdir: \xff\xfe\n"), "\xff\xfe");
  }

  TEST_CASE("what is not exactly one path is no pointer") {
    for (const std::string_view text :
         {std::string_view("gitdir:/x\n"), std::string_view("GITDIR: /x\n"), std::string_view(" gitdir: /x\n"),
          std::string_view("ref: refs/heads/main\n"), std::string_view(""), std::string_view("/x\n")}) {
      CHECK_EQ(gitfile(text), "error: it does not begin with 'gitdir: '");
    }
    CHECK_EQ(gitfile("gitdir: \n"), "error: it holds no path");
    CHECK_EQ(gitfile("gitdir: /x\n/y\n"), "error: it holds more than one line of text");
    CHECK_EQ(gitfile("gitdir: /x\n\n"), "error: it holds more than one line of text");
    CHECK_EQ(gitfile(std::string_view("gitdir: /x\0/y", 13)), "error: it holds more than one line of text");
    CHECK_EQ(gitfile("gitdir: /x\x1b[31m"), "error: it holds more than one line of text");
    CHECK_EQ(gitfile("gitdir: /" + std::string(4100, 'x')), "error: its path is too long");
  }

  TEST_CASE("a relative path counts from the directory of the file") {
    CHECK_EQ(path_from("/a/b", "../c"), "/a/b/../c");
    CHECK_EQ(path_from("/", "c"), "/c");
    CHECK_EQ(path_from("/a", "/c"), "/c");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
