// SPDX-License-Identifier: Apache-2.0
#include "bwrap/command_lookup.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/scratch_dir.h"

namespace agentctl::bwrap {
namespace {

// A home with programs in it; nothing of the real system but what an interpreter line names.
struct Home {
  test::ScratchDir scratch;
  std::string root = std::filesystem::canonical(scratch.path()).string();
  CommandRequest request;

  Home() {
    std::filesystem::create_directories(root + "/home/project");
    request.project = {HostPath(root + "/home/project"), HostPath(root + "/home/project")};
    request.never_whole = {root + "/home", root + "/home/.local/state/agentctl"};
  }

  std::string program(const std::string& name, const std::string& text = "", mode_t mode = 0755) const {
    const std::string path = scratch.write("home/" + name, text);
    REQUIRE_EQ(::chmod(path.c_str(), mode), 0);
    return root + "/home/" + name;
  }
  void link(const std::string& name, const std::string& target) const {
    const std::filesystem::path path = root + "/home/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_symlink(target, path);
  }
  void directory(const std::string& name) const { std::filesystem::create_directories(root + "/home/" + name); }

  Result<CommandFact> find(const std::string& word, const std::vector<std::string>& search = {"bin"}) {
    request.words = {word};
    request.search_path.clear();
    for (const std::string& entry : search) {
      if (!request.search_path.empty()) request.search_path += ':';
      request.search_path += entry.starts_with('=') ? entry.substr(1) : cat(root, "/home/", entry);
    }
    PathResolver resolver;
    return look_up_command(request, resolver);
  }
  void refuses(const std::string& word, int sys_errno, const std::string& message,
               const std::vector<std::string>& search = {"bin"}) {
    const Result<CommandFact> fact = find(word, search);
    REQUIRE_FALSE(fact.has_value());
    CHECK(fact.error().kind == ErrorKind::environment);
    CHECK_EQ(fact.error().sys_errno, sys_errno);
    std::string shown = fact.error().message;
    for (std::size_t at = shown.find(root); at != std::string::npos; at = shown.find(root))
      shown.erase(at, root.size());
    CHECK_EQ(shown, message);
  }
  bool needs(const CommandFact& fact, const std::string& name) const {
    return std::any_of(fact.needs.begin(), fact.needs.end(),
                       [&](const PathFact& need) { return need.canonical.str() == cat(root, "/home/", name); });
  }
};

TEST_SUITE("command_lookup") {
  TEST_CASE("a command is found in PATH order, and its link chain is kept") {
    Home home;
    home.program("tools/v2/agent");
    home.link("bin/agent", "../tools/current/agent");
    home.link("tools/current", "v2");
    home.program("late/agent");
    const CommandFact fact = home.find("agent", {"missing", "bin", "late"}).value();
    CHECK_EQ(fact.program.path.str(), home.root + "/home/bin/agent");
    CHECK_EQ(fact.program.canonical.str(), home.root + "/home/tools/v2/agent");
    CHECK_EQ(fact.program.links.size(), 2);
    CHECK(home.needs(fact, "tools/v2"));
  }

  TEST_CASE("a command that is nowhere is not found") {
    Home home;
    home.refuses("agent", ENOENT, "cannot find 'agent' in PATH");
    home.refuses("agent", ENOENT, "cannot find 'agent' in PATH", {"=", "=.", "=relative/bin"});
    home.refuses("./agent", ENOENT, "cannot run '/home/project/agent': '/home/project/agent' not found");
  }

  TEST_CASE("no command at all is a mistake of usage") {
    Home home;
    CHECK(home.find("").error().kind == ErrorKind::usage);
  }

  TEST_CASE("a link that leads nowhere is named") {
    Home home;
    home.link("bin/agent", "../share/agent/versions/1.0");
    home.refuses(
        "agent", ENOENT,
        "cannot run '/home/bin/agent': the link '/home/bin/agent' leads to '../share/agent/versions/1.0', which is "
        "not there");
  }

  TEST_CASE("a broken link is passed over when a later directory has the command") {
    Home home;
    home.link("bin/agent", "gone");
    home.program("late/agent");
    CHECK_EQ(home.find("agent", {"bin", "late"}).value().program.path.str(), home.root + "/home/late/agent");
  }

  TEST_CASE("what is there but cannot be run is told apart from what is not there") {
    Home home;
    home.program("bin/agent", "", 0644);
    home.directory("bin/folder");
    home.refuses("agent", EACCES, "cannot run '/home/bin/agent': it is not executable");
    home.refuses("folder", EACCES, "cannot run '/home/bin/folder': it is a directory");
    home.refuses("/dev/null", EACCES, "cannot run '/dev/null': it is not a file");
  }

  TEST_CASE("a program planted in the project is not taken for a bare name, only for its path") {
    Home home;
    home.program("project/node_modules/.bin/agent");
    home.refuses("agent", ENOENT, "cannot find 'agent' in PATH outside of the project", {"project/node_modules/.bin"});
    const CommandFact fact = home.find("node_modules/.bin/agent").value();
    CHECK(fact.needs.empty());
    home.program("bin/agent");
    CHECK_EQ(home.find("agent", {"project/node_modules/.bin", "bin"}).value().program.path.str(),
             home.root + "/home/bin/agent");
  }

  TEST_CASE("a link outside of the project does not make a directory in it trusted") {
    Home home;
    home.program("project/tools/agent");
    home.link("innocent", "project/tools");
    home.refuses("agent", ENOENT, "cannot find 'agent' in PATH outside of the project", {"innocent"});
  }

  TEST_CASE("a script brings its interpreter, also the one that env looks up") {
    Home home;
    home.program("node/v22/bin/node");
    home.directory("node/v22/lib");
    home.program("bin/agent", "#!/usr/bin/env -S node --no-warnings\n");
    CommandFact fact = home.find("agent", {"bin", "node/v22/bin"}).value();
    CHECK(home.needs(fact, "node/v22"));
    CHECK(home.needs(fact, "node/v22/bin/node"));
    home.program("bin/agent", cat("#! ", home.root, "/home/node/v22/bin/node\n"));
    fact = home.find("agent", {"bin"}).value();
    CHECK(home.needs(fact, "node/v22"));
  }

  TEST_CASE("a missing interpreter is named and counts as not executable") {
    Home home;
    home.program("bin/agent", cat("#!", home.root, "/opt/none\n"));
    home.refuses("agent", EACCES,
                 "cannot run '/home/bin/agent': its interpreter: cannot run '/opt/none': '/opt/none' not found");
    home.program("bin/agent", "#!/usr/bin/env no-such-node\n");
    home.refuses("agent", EACCES, "cannot run '/home/bin/agent': its interpreter: cannot find 'no-such-node' in PATH");
  }

  TEST_CASE("a script that is its own interpreter ends in an error, not in a loop") {
    Home home;
    home.program("bin/agent", cat("#!", home.root, "/home/bin/agent\n"));
    home.refuses("agent", EACCES, "cannot run '/home/bin/agent': too many interpreters in a row");
  }

  TEST_CASE("a program below node_modules brings the outermost one") {
    Home home;
    home.program("npm/lib/node_modules/agent/node_modules/engine/bin/engine.exe");
    home.link("npm/bin/agent", "../lib/node_modules/agent/node_modules/engine/bin/engine.exe");
    const CommandFact fact = home.find("agent", {"npm/bin"}).value();
    CHECK(home.needs(fact, "npm/lib/node_modules"));
    CHECK_FALSE(home.needs(fact, "npm"));
  }

  TEST_CASE("a version manager's prefix comes whole, a bin directory of the home alone") {
    Home home;
    home.program(".local/share/mise/installs/go/1.22/bin/go");
    home.directory(".local/share/mise/installs/go/1.22/lib");
    CHECK(home.needs(home.find("go", {".local/share/mise/installs/go/1.22/bin"}).value(),
                     ".local/share/mise/installs/go/1.22"));
    home.program(".local/bin/tool");
    home.directory(".local/lib");
    const CommandFact fact = home.find("tool", {".local/bin"}).value();
    CHECK(home.needs(fact, ".local/bin"));
    CHECK_FALSE(home.needs(fact, ".local"));
  }

  TEST_CASE("a script typed with its path shows itself, never the directory or the home around it") {
    Home home;
    home.program("script.sh", "#!/bin/sh\n");
    home.program("private/run.sh", "#!/bin/sh\n");
    for (const char* name : {"script.sh", "private/run.sh"}) {
      const CommandFact fact = home.find(cat(home.root, "/home/", name)).value();
      CHECK_FALSE(home.needs(fact, ""));
      CHECK_FALSE(home.needs(fact, "private"));
    }
    CHECK_FALSE(home.needs(home.find("script.sh", {""}).value(), ""));
  }

  TEST_CASE("what the sandbox shows anyway is not asked for") {
    Home home;
    home.program("system/bin/tool");
    home.request.visible = {home.root + "/home/system"};
    CHECK(home.find("tool", {"system/bin"}).value().needs.empty());
  }
}

}  // namespace
}  // namespace agentctl::bwrap
