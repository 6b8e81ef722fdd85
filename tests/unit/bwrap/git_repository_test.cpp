// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_repository.h"

#include <unistd.h>

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

// A home with a project, and what find_git() says of it, without the path of the home.
class Home {
 public:
  Home() {
    directory("project");
    files.protect = entries({"./.git/hooks", "./.git/config", ".git/config.worktree", "./Makefile"});
  }

  [[nodiscard]] std::string at(const std::string& name) const { return cat(dir_.path(), "/", name); }
  void file(const std::string& name, const std::string& text = "x\n") const { dir_.write(name, text); }
  void directory(const std::string& name) const {
    dir_.write(name + "/x", "");
    REQUIRE_EQ(::unlink(at(name + "/x").c_str()), 0);
  }
  void repository(const std::string& name) const {
    file(name + "/HEAD");
    file(name + "/config", "[core]\n\tbare = false\n");
    file(name + "/hooks/update.sample");
    directory(name + "/objects");
    directory(name + "/refs");
  }
  void worktree(const std::string& common, const std::string& id, const std::string& tree) const {
    const std::string gitdir = cat(common, "/worktrees/", id);
    file(gitdir + "/commondir", "../..\n");
    file(gitdir + "/gitdir", cat(at(tree), "/.git\n"));
    file(tree + "/.git", cat("gitdir: ", at(gitdir), "\n"));
  }

  [[nodiscard]] GitFact find() const {
    PathResolver resolver;
    return find_git({HostPath(at("project")), dir_.path(), files}, resolver);
  }
  [[nodiscard]] std::string draw(const std::vector<PathFact>& facts) const {
    std::vector<std::string> names;
    for (const PathFact& fact : facts) names.push_back(shorten(fact.canonical.str()));
    return join(names, " ");
  }
  [[nodiscard]] std::string guarded() const {
    std::vector<std::string> names;
    for (const GitFact::Guard& guard : find().guarded) names.push_back(shorten(guard.fact.canonical.str()));
    std::sort(names.begin(), names.end());
    return join(names, " ");
  }

  policy::FileSettings files;

 private:
  [[nodiscard]] std::string shorten(const std::string& path) const { return path.substr(dir_.path().size() + 1); }
  test::ScratchDir dir_;
};

TEST_SUITE("git_repository") {
  TEST_CASE("in a directory without a repository there is nothing to say") {
    const Home home;
    const GitFact git = home.find();
    CHECK(git.guarded.empty());
    CHECK(git.warnings.empty());
    CHECK_EQ(git.above.kind, PathKind::absent);
  }

  TEST_CASE("a repository above the project is found and not opened") {
    const Home home;
    home.repository("project/.git");
    home.directory("project/part");
    PathResolver resolver;
    const GitFact git = find_git({HostPath(home.at("project/part")), home.at(""), home.files}, resolver);
    CHECK_EQ(git.above.path.str(), home.at("project/.git"));
    CHECK(git.granted.empty());
  }

  TEST_CASE("a linked worktree opens the common directory and guards it") {
    const Home home;
    home.repository("main/.git");
    home.worktree("main/.git", "topic", "project");
    home.worktree("main/.git", "other", "other");
    const GitFact git = home.find();
    CHECK_EQ(home.draw(git.granted), "main/.git");
    CHECK(git.has_other_worktrees);
    CHECK_EQ(home.guarded(),
             "main/.git/config main/.git/hooks main/.git/worktrees/other main/.git/worktrees/topic/commondir "
             "main/.git/worktrees/topic/gitdir project/.git");
  }

  TEST_CASE("a worktree within the project is the project's, one outside is read-only") {
    const Home home;
    home.repository("project/.git");
    home.worktree("project/.git", "inner", "project/inner");
    home.worktree("project/.git", "outer", "outer");
    CHECK(home.find().granted.empty());
    CHECK_EQ(home.guarded(),
             "project/.git/worktrees/inner/commondir project/.git/worktrees/inner/gitdir project/.git/worktrees/outer");
  }

  TEST_CASE("many worktrees are guarded by one mount, and the project's own stays open") {
    const Home home;
    home.repository("main/.git");
    home.worktree("main/.git", "topic", "project");
    for (int number = 0; number < 100; ++number) home.directory(cat("main/.git/worktrees/", number));
    CHECK_EQ(home.draw(home.find().granted), "main/.git main/.git/worktrees/topic");
    CHECK_EQ(home.guarded(),
             "main/.git/config main/.git/hooks main/.git/worktrees main/.git/worktrees/topic/commondir "
             "main/.git/worktrees/topic/gitdir project/.git");
  }

  TEST_CASE("the gitdirs of submodules are guarded, whatever their names") {
    const Home home;
    home.repository("project/.git");
    home.repository("project/.git/modules/libs/part");
    home.repository("project/.git/modules/libs/part/modules/deeper");
    CHECK_EQ(
        home.guarded(),
        "project/.git/modules/libs/part/config project/.git/modules/libs/part/hooks "
        "project/.git/modules/libs/part/modules/deeper/config project/.git/modules/libs/part/modules/deeper/hooks");
  }

  TEST_CASE("more submodules than can be guarded one by one are read-only as a whole") {
    const Home home;
    home.repository("project/.git");
    home.repository("project/.git/modules/part");
    for (int number = 0; number < 300; ++number) home.directory(cat("project/.git/modules/x/", number));
    CHECK_EQ(home.guarded(), "project/.git/modules");
    REQUIRE_EQ(home.find().warnings.size(), 1);
    CHECK(home.find().warnings[0].ends_with("are read-only: there are too many"));
  }

  TEST_CASE("a gitdir deeper than any submodule's, or a link among them, ends the walk") {
    const Home home;
    home.repository("project/.git");
    home.directory("elsewhere");
    std::string path = "project/.git/modules";
    home.directory(path);
    REQUIRE_EQ(::symlink(home.at("elsewhere").c_str(), home.at(path + "/link").c_str()), 0);
    CHECK_EQ(home.guarded(), "");
    for (int depth = 0; depth < 30; ++depth) path += "/x";
    home.directory(path);
    CHECK_EQ(home.guarded(), "project/.git/modules");
  }

  TEST_CASE("a directory of hooks in the project is guarded, and nothing beyond it") {
    Home home;
    home.repository("project/.git");
    home.file("project/.husky/_/pre-commit");
    home.directory("elsewhere");
    for (const char* outside : {"../elsewhere", ".", "/", "~/elsewhere", "absent"}) {
      home.file("project/.git/config", cat("[core]\n\thooksPath = ", outside, "\n"));
      CHECK_EQ(home.guarded(), "");
    }
    home.file("project/.git/config", "[core]\n\thookspath = .husky/_\n");
    CHECK_EQ(home.guarded(), "project/.husky");
    home.file("project/.git/config", "");
    home.file(".gitconfig", "[CORE]\n\thooksPath = .husky\n");
    CHECK_EQ(home.guarded(), "");
    home.files.read_only = entries({"~/.gitconfig"});
    CHECK_EQ(home.guarded(), "project/.husky");
  }

  TEST_CASE("what a repository's configuration includes from the project is guarded with it") {
    Home home;
    home.repository("project/.git");
    home.file("project/.gitconfig");
    home.file("elsewhere");
    home.file("project/.git/config", "[include]\n\tpath = ../.gitconfig\n[include]\n\tpath = ../../elsewhere\n");
    CHECK_EQ(home.guarded(), "project/.gitconfig");
    home.files.protect = entries({"./.git/hooks"});
    CHECK_EQ(home.guarded(), "");
  }

  TEST_CASE("what the user's own configuration names is shown, and programs are missed") {
    Home home;
    home.repository("project/.git");
    home.files.read_only = entries({"~/.gitconfig"});
    home.file("work/.gitconfig", "[commit]\n\ttemplate = ~/work/message\n");
    home.file("play/.gitconfig", "");
    home.file("any", "");
    home.file("bin/cred");
    for (const char* name : {"work/message", "ignored", "bin/sign"}) home.file(name);
    home.file(".gitconfig", cat("[includeIf \"gitdir:~/project/\"]\n\tpath = work/.gitconfig\n",
                                "[includeIf \"gitdir:~/other/\"]\n\tpath = play/.gitconfig\n",
                                "[includeIf \"onbranch:main\"]\n\tpath = ~/any\n",
                                "[core]\n\texcludesFile = ~/ignored\n\thooksPath = ~\n",
                                "[credential \"https://x.org\"]\n\thelper = !", home.at("bin/cred"), " --get\n",
                                "[gpg]\n\tprogram = ~/bin/sign\n[credential]\n\thelper = store\n"));
    const GitFact git = home.find();
    CHECK_EQ(home.draw(git.read), "work/.gitconfig any ignored");
    std::vector<PathFact> missed;
    for (const GitFact::Missed& each : git.missed) missed.push_back(each.fact);
    CHECK_EQ(home.draw(missed), "bin/cred bin/sign");
  }

  TEST_CASE("an included file, which a session may have written, shows nothing by itself") {
    Home home;
    home.repository("project/.git");
    home.files.read_only = entries({"~/.gitconfig"});
    home.file(".ssh/id_rsa");
    home.file("secret", "[a]\n");
    home.file(".gitconfig", "[include]\n\tpath = project/later\n");
    home.file("project/later",
              "[core]\n\thooksPath = ~/.ssh\n\texcludesFile = ~/secret\n[include]\n\tpath = ~/secret\n");
    const GitFact git = home.find();
    CHECK_EQ(home.draw(git.read), "project/later");
    CHECK_EQ(std::count_if(git.warnings.begin(), git.warnings.end(),
                           [](const std::string& text) { return text.find("is not shown for it") != text.npos; }),
             3);
  }

  TEST_CASE("a configuration that includes itself ends") {
    Home home;
    home.files.read_only = entries({"~/.gitconfig"});
    home.file(".gitconfig", "[include]\n\tpath = .gitconfig\n[include]\n\tpath = .gitconfig\n");
    CHECK_LE(home.find().read.size(), 64);
  }

  TEST_CASE("another repository from which objects are borrowed is missed, not opened") {
    const Home home;
    home.repository("project/.git");
    home.directory("other/.git/objects");
    home.file("project/.git/objects/info/alternates", home.at("other/.git/objects") + "\n");
    const GitFact git = home.find();
    CHECK(git.granted.empty());
    REQUIRE_EQ(git.missed.size(), 1);
    CHECK_EQ(git.missed[0].fact.canonical.str(), home.at("other/.git/objects"));
  }

  TEST_CASE("what the policy does not protect is not guarded in any gitdir") {
    Home home;
    home.repository("main/.git");
    home.worktree("main/.git", "topic", "project");
    home.file("main/.git/config", "[core]\n\thooksPath = hooks\n");
    home.directory("project/hooks");
    home.files.protect = entries({"./.git/config"});
    CHECK_EQ(home.guarded(),
             "main/.git/config main/.git/worktrees/topic/commondir main/.git/worktrees/topic/gitdir project/.git");
  }

  TEST_CASE("a bare repository around its worktrees shows its own files only") {
    const Home home;
    home.repository("around");
    home.file("around/notes");
    home.file("around/main/secret");
    home.worktree("around", "topic", "around/feature/topic");
    PathResolver resolver;
    const GitFact git = find_git({HostPath(home.at("around/feature/topic")), home.at(""), home.files}, resolver);
    CHECK_EQ(home.draw(git.granted), "around");
    CHECK_EQ(home.draw(git.covered), "around/feature around/main around/notes");
  }

  TEST_CASE("a repository that the user opened is guarded like the project's") {
    Home home;
    home.repository("other/.git");
    home.repository("bare.git");
    home.files.read_write = entries({"~/other", "~/bare.git", "~/nothing"});
    CHECK_EQ(home.guarded(), "bare.git/config bare.git/hooks other/.git/config other/.git/hooks");
  }

  TEST_CASE("a project that is a bare repository is guarded itself") {
    const Home home;
    home.repository("project");
    CHECK_EQ(home.guarded(), "project/config project/hooks");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
