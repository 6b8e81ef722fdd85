// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_proof.h"

#include <sys/stat.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

// Working trees and repositories as git makes them, and as nobody should.
class Tree {
 public:
  Tree() { directory("project"); }

  [[nodiscard]] std::string at(const std::string& name) const { return cat(dir_.path(), "/", name); }
  void file(const std::string& name, const std::string& text) const { dir_.write(name, text); }
  void directory(const std::string& name) const {
    dir_.write(name + "/x", "");
    REQUIRE_EQ(::unlink(at(name + "/x").c_str()), 0);
  }
  void link(const std::string& name, const std::string& target) const {
    REQUIRE_EQ(::symlink(target.c_str(), at(name).c_str()), 0);
  }
  void repository(const std::string& name) const {
    file(name + "/HEAD", "ref: refs/heads/main\n");
    file(name + "/config", "[core]\n\tbare = false\n");
    directory(name + "/objects");
    directory(name + "/refs");
  }
  // `main` with a linked worktree in `project`.
  void worktree() const {
    repository("main/.git");
    file("main/.git/worktrees/topic/commondir", "../..\n");
    file("main/.git/worktrees/topic/gitdir", at("project/.git") + "\n");
    file("project/.git", cat("gitdir: ", at("main/.git/worktrees/topic"), "\n"));
  }
  // The whole outcome, with the scratch directory taken out of it.
  [[nodiscard]] std::string prove() const {
    PathResolver resolver;
    const auto proven = prove_repository(HostPath(at("project")), resolver);
    std::string text = proven ? cat(proven->gitdir.str(), " of ", proven->common.str()) : proven.error().message;
    const std::string prefix = dir_.path() + "/";
    for (std::size_t found = text.find(prefix); found != std::string::npos; found = text.find(prefix)) {
      text.erase(found, prefix.size());
    }
    return text;
  }

 private:
  test::ScratchDir dir_;
};

TEST_SUITE("git_proof") {
  TEST_CASE("a linked worktree is proven when both sides name each other") {
    Tree tree;
    tree.worktree();
    CHECK_EQ(tree.prove(), "main/.git/worktrees/topic of main/.git");
    tree.file("project/.git", "gitdir: ../main/.git/worktrees/topic\n");
    tree.file("main/.git/worktrees/topic/gitdir", "../../../../project/.git\n");
    CHECK_EQ(tree.prove(), "main/.git/worktrees/topic of main/.git");
  }

  TEST_CASE("a worktree of another place is not the project's") {
    Tree tree;
    tree.worktree();
    tree.file("main/.git/worktrees/topic/gitdir", tree.at("elsewhere/.git") + "\n");
    CHECK_EQ(tree.prove(), "'main/.git/worktrees/topic' is the gitdir of 'elsewhere'");
    tree.file("main/.git/worktrees/topic/gitdir", tree.at("project/.git2") + "\n");
    CHECK_EQ(tree.prove(), "'main/.git/worktrees/topic' is the gitdir of 'project'");
  }

  TEST_CASE("a common directory that is not around the gitdir is not followed") {
    Tree tree;
    tree.worktree();
    tree.repository("other/.git");
    tree.file("main/.git/worktrees/topic/commondir", tree.at("other/.git") + "\n");
    CHECK_EQ(tree.prove(), "'main/.git/worktrees/topic' is not in its common directory");
  }

  TEST_CASE("a submodule is proven by the core.worktree of its own configuration") {
    Tree tree;
    tree.repository("whole/.git/modules/part");
    tree.file("project/.git", "gitdir: ../whole/.git/modules/part\n");
    CHECK_EQ(tree.prove(), "'whole/.git/modules/part' names no working tree");
    tree.file("whole/.git/modules/part/config", "[core]\n\tworktree = ../../../../project\n");
    CHECK_EQ(tree.prove(), "whole/.git/modules/part of whole/.git/modules/part");
    tree.file("whole/.git/modules/part/config", "[core]\n\tworktree = ../../../../other\n");
    CHECK_EQ(tree.prove(), "'whole/.git/modules/part' has its working tree in '../../../../other'");
    tree.file("whole/.git/modules/part/config", "[core\n\tworktree = ../../../../project\n");
    CHECK_EQ(tree.prove(), "cannot use its 'config': line 2: a section that is not closed");
  }

  TEST_CASE("what names the project but is no repository is not granted") {
    Tree tree;
    tree.worktree();
    REQUIRE_EQ(::rmdir(tree.at("main/.git/refs").c_str()), 0);
    CHECK_EQ(tree.prove(), "'main/.git' is no repository");
  }

  TEST_CASE("a directory full of secrets proves nothing") {
    Tree tree;
    tree.file(".ssh/id_ed25519", "secret");
    tree.file("project/.git", cat("gitdir: ", tree.at(".ssh"), "\n"));
    CHECK_EQ(tree.prove(), "'.ssh' is no repository");
  }

  TEST_CASE("another repository that has its own working tree is not opened") {
    Tree tree;
    tree.repository("other/.git");
    tree.file("project/.git", "gitdir: ../other/.git\n");
    CHECK_EQ(tree.prove(), "'other/.git' names no working tree");
  }

  TEST_CASE("a gitdir within the project needs no proof and leads to nothing outside") {
    Tree tree;
    tree.repository("project/.real");
    tree.file("project/.git", "gitdir: ./.real\n");
    CHECK_EQ(tree.prove(), "project/.real of project/.real");
    tree.repository("other/.git");
    tree.file("project/.real/commondir", "../../other/.git\n");
    CHECK_EQ(tree.prove(), "'project/.real/commondir' leads out of the project");
    REQUIRE_EQ(::unlink(tree.at("project/.real/commondir").c_str()), 0);
    tree.link("project/lead", "../other/.git");
    tree.file("project/.git", "gitdir: lead\n");
    CHECK_EQ(tree.prove(), "'other/.git' names no working tree");
  }

  TEST_CASE("cycles, links, pipes and huge files are no pointers") {
    Tree tree;
    tree.file("project/.git", "gitdir: .git\n");
    CHECK_EQ(tree.prove(), "'.git' is no directory");
    tree.file("project/.git", "gitdir: .\n");
    CHECK_EQ(tree.prove(), "project of project");
    tree.worktree();
    tree.file("project/.git", std::string(1U << 20, 'x'));
    CHECK_EQ(tree.prove(), "cannot read 'project/.git': File too large");
    REQUIRE_EQ(::unlink(tree.at("project/.git").c_str()), 0);
    REQUIRE_EQ(::mkfifo(tree.at("project/.git").c_str(), 0600), 0);
    CHECK_EQ(tree.prove(), "cannot read 'project/.git': it is no regular file");
    tree.file("aside", cat("gitdir: ", tree.at("main/.git/worktrees/topic"), "\n"));
    REQUIRE_EQ(::unlink(tree.at("project/.git").c_str()), 0);
    tree.link("project/.git", "../aside");
    CHECK_EQ(tree.prove(), "cannot open 'project/.git': 'project/.git' is a symbolic link");
  }

  TEST_CASE("a back pointer that is a link or a pipe proves nothing") {
    Tree tree;
    tree.worktree();
    const std::string back = tree.at("main/.git/worktrees/topic/gitdir");
    REQUIRE_EQ(::unlink(back.c_str()), 0);
    tree.file("aside", tree.at("project/.git") + "\n");
    tree.link("main/.git/worktrees/topic/gitdir", "../../../../aside");
    CHECK(tree.prove().find("is a symbolic link") != std::string::npos);
    REQUIRE_EQ(::unlink(back.c_str()), 0);
    REQUIRE_EQ(::mkfifo(back.c_str(), 0600), 0);
    CHECK(tree.prove().find("it is no regular file") != std::string::npos);
  }

  TEST_CASE("the way to the repository may lead through the user's links") {
    Tree tree;
    tree.worktree();
    tree.link("byname", "main");
    tree.file("project/.git", cat("gitdir: ", tree.at("byname/.git/worktrees/topic"), "\n"));
    CHECK_EQ(tree.prove(), "main/.git/worktrees/topic of main/.git");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
