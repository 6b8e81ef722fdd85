// SPDX-License-Identifier: Apache-2.0
#include "bwrap/safe_path.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

struct Tree {
  test::ScratchDir scratch;
  std::string root = std::filesystem::canonical(scratch.path()).string();
  Tree() {
    scratch.write("real/inner/file", "x");
    std::filesystem::create_directory_symlink("real", root + "/link");
  }
};

TEST_SUITE("safe_path") {
  TEST_CASE("a directory is held under its canonical name") {
    const Tree tree;
    CHECK(hold_directory(HostPath(tree.root + "/real/inner")).has_value());
  }

  TEST_CASE("a link anywhere on the way is refused and named") {
    const Tree tree;
    for (const char* name : {"/link", "/link/inner"}) {
      const Result<UniqueFd> held = hold_directory(HostPath(tree.root + name));
      REQUIRE_FALSE(held.has_value());
      CHECK(held.error().kind == ErrorKind::policy);
      CHECK_EQ(held.error().message,
               cat("cannot open '", tree.root, name, "': '", tree.root, "/link' is a symbolic link"));
    }
  }

  TEST_CASE("a file and an absence are refused as a directory, each with its errno") {
    const Tree tree;
    CHECK_EQ(hold_directory(HostPath(tree.root + "/real/inner/file")).error().sys_errno, ENOTDIR);
    CHECK_EQ(hold_directory(HostPath(tree.root + "/gone")).error().sys_errno, ENOENT);
  }

  TEST_CASE("a walk below a directory follows no link and never leaves it") {
    const Tree tree;
    const UniqueFd root = hold_directory(HostPath(tree.root)).value();
    CHECK(open_beneath(root.get(), "real/inner/file", O_RDONLY).has_value());
    CHECK_EQ(open_beneath(root.get(), "real/none", O_RDONLY).error().sys_errno, ENOENT);
    CHECK_EQ(open_beneath(root.get(), "../x", O_RDONLY).error().sys_errno, EXDEV);
    CHECK_EQ(open_beneath(root.get(), "/etc/passwd", O_RDONLY).error().sys_errno, EXDEV);
    const Error error = open_beneath(root.get(), "link/inner", O_RDONLY).error();
    CHECK_EQ(error.sys_errno, ELOOP);
    CHECK_EQ(error.message, "cannot open 'link/inner': 'link' is a symbolic link");
  }

  TEST_CASE("what is held stays held when the name is given to something else") {
    const Tree tree;
    const UniqueFd held = hold_directory(HostPath(tree.root + "/real")).value();
    std::filesystem::rename(tree.root + "/real", tree.root + "/moved");
    std::filesystem::create_directory_symlink("/etc", tree.root + "/real");
    CHECK(open_beneath(held.get(), "inner/file", O_RDONLY).has_value());
    CHECK_FALSE(open_beneath(held.get(), "passwd", O_RDONLY).has_value());
  }

  TEST_CASE("a program of ours that others may write, a directory and a link are refused") {
    const Tree tree;
    const std::string program = tree.scratch.write("program", "x");
    REQUIRE_EQ(::chmod(program.c_str(), 0755), 0);
    CHECK(hold_own_program(HostPath(program)).has_value());
    REQUIRE_EQ(::chmod(program.c_str(), 0757), 0);
    CHECK(hold_own_program(HostPath(program)).error().message.ends_with("others may write it"));
    CHECK(hold_own_program(HostPath(tree.root + "/real")).error().message.ends_with("it is not a regular file"));
    CHECK_EQ(hold_own_program(HostPath(tree.root + "/link")).error().sys_errno, ELOOP);
    CHECK_EQ(hold_own_program(HostPath(tree.root + "/gone")).error().sys_errno, ENOENT);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
