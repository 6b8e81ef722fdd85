// SPDX-License-Identifier: Apache-2.0
// The facts of this machine, planned and carried out by its own bwrap.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/own_directories.h"
#include "bwrap/plan_builder.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/real_bwrap/bwrap_run.h"

namespace agentctl::bwrap {
namespace {

struct Sandbox {
  test::ScratchDir scratch;
  std::string root = std::filesystem::canonical(scratch.path()).string();
  policy::Policy policy;
  std::string project = root + "/project";

  Sandbox() {
    ::setenv("XDG_STATE_HOME", (root + "/state").c_str(), 1);
    scratch.write("project/file", "kept");
    scratch.write("project/.git/config", "config");
    scratch.write("project/.env", "SECRET=1");
    scratch.write("project/keys/private", "SECRET=2");
    scratch.write("outside/secret", "SECRET=3");
    policy.network = policy::Setting<policy::NetworkMode>{policy::NetworkMode::host, {}};
  }

  Plan plan(std::vector<std::string> command) const {
    const Result<HostFacts> facts = gather_host_facts({project, std::move(command), policy});
    REQUIRE_MESSAGE(facts.has_value(), facts.error().message);
    Result<Plan> made = build_plan(policy, *facts);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    REQUIRE(prepare(made->own).has_value());
    return std::move(made).value();
  }
  RunOutcome run(const std::vector<std::string>& command) const {
    const Plan made = plan(command);
    std::vector<std::string> words = command;
    words.front() = made.program.str();
    return run_plan(made, WALLS_REPORT, words);
  }
  RunOutcome shell(const std::string& script) const { return run({"sh", "-c", script}); }
  RunOutcome report(std::vector<std::string> paths) const {
    paths.insert(paths.begin(), kStagePath);
    return run_plan(plan({"true"}), WALLS_REPORT, paths);
  }
};

policy::Entries list(std::initializer_list<std::string> texts) {
  policy::Entries entries;
  for (const std::string& text : texts) entries.push_back(policy::Entry{text, {"test", 0, 0}});
  return entries;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void says(const RunOutcome& outcome, const std::string& line) {
  CHECK_MESSAGE(cat("\n", outcome.output).find(cat("\n", line, "\n")) != std::string::npos, "expected '", line,
                "' in\n", outcome.output);
}

std::string home_of(const Plan& plan) {
  for (const std::string& variable : plan.environment) {
    if (variable.starts_with("HOME=")) return variable.substr(5);
  }
  return {};
}

TEST_SUITE("real_bwrap") {
  TEST_CASE("the default plan starts, with and without the network, with and without --bind-fd") {
    for (const bool share : {true, false}) {
      for (const bool by_descriptor : {true, false}) {
        Sandbox sandbox;
        if (!share) sandbox.policy.network.reset();
        Plan plan = sandbox.plan({"true"});
        plan.has_bind_fd = plan.has_bind_fd && by_descriptor;
        const RunOutcome outcome = run_plan(plan, WALLS_REPORT, {"/bin/true"});
        CHECK_EQ(outcome.output, "");
        CHECK_EQ(outcome.status, 0);
      }
    }
  }

  TEST_CASE("the filters refuse from inside what they are there for") {
    const RunOutcome outcome = Sandbox().report({});
    CHECK_EQ(outcome.status, 0);
    for (const char* line :
         {"io_uring_setup ENOSYS", "unshare-user EPERM", "clone3 ENOSYS", "keyctl EPERM", "mount EPERM",
          "socket-vsock EAFNOSUPPORT", "socket-inet ok", "socket-route ok", "socket-audit EPERM", "sti EPERM",
          "sti-high-bits EPERM", "unreviewed-call ENOSYS", "no-new-privileges ok", "Seccomp_filters:\t2",
          "CapEff:\t0000000000000000", "CapBnd:\t0000000000000000"}) {
      says(outcome, line);
    }
  }

  TEST_CASE("only the project, the home and the temporary directories can be written") {
    const Sandbox sandbox;
    const std::string home = home_of(sandbox.plan({"true"}));
    const RunOutcome outcome = sandbox.report(
        {sandbox.project + "/new", home + "/new", "/tmp/new", "/var/tmp/new", "/dev/shm/new",
         cat("/run/user/", ::getuid(), "/new"), "/new", "/dev/new", "/run/new", "/run/agentctl/new", "/etc/new",
         "/usr/new", "/home/new", sandbox.root + "/outside/secret", "read:/dev/null", "read:/etc/shadow"});
    for (const std::string& path :
         {sandbox.project + "/new", home + "/new", std::string("/tmp/new"), std::string("/var/tmp/new"),
          std::string("/dev/shm/new"), cat("/run/user/", ::getuid(), "/new"), std::string("read:/dev/null")}) {
      says(outcome, path + " ok");
    }
    for (const char* path : {"/new", "/dev/new", "/run/new", "/run/agentctl/new", "/etc/new", "/usr/new"}) {
      says(outcome, cat(path, " EROFS"));
    }
    says(outcome, sandbox.root + "/outside/secret ENOENT");
    says(outcome, "read:/etc/shadow ENOENT");
    CHECK(std::filesystem::exists(sandbox.project + "/new"));
    CHECK_FALSE(std::filesystem::exists(home + "/new"));
  }

  TEST_CASE("the stage cannot be written, removed or moved") {
    const RunOutcome outcome = Sandbox().shell(cat(
        "S=", kStagePath, "; (echo x > $S || echo no-write; rm $S || echo no-remove; mv /run/agentctl /run/other || ",
        "echo no-move) 2>/dev/null"));
    CHECK_EQ(outcome.output, "no-write\nno-remove\nno-move\n");
  }

  TEST_CASE("hide, protect and the directories above them hold against the agent") {
    Sandbox sandbox;
    sandbox.policy.files.hide = list({"./.env", "./keys"});
    sandbox.policy.files.protect = list({"./.git/config", "./absent"});
    const RunOutcome outcome = sandbox.shell(
        "cat .env; ls -A keys; cat .git/config; echo; echo evil > .git/config; mv .git .git2; rm -rf .git keys .env; "
        "touch keys/x; echo more > .git/other; ls -A .git");
    CHECK(outcome.output.find("SECRET") == std::string::npos);
    says(outcome, "config");
    CHECK_EQ(content(sandbox.project + "/.git/config"), "config");
    CHECK_EQ(content(sandbox.project + "/.git/other"), "more\n");
    CHECK_EQ(content(sandbox.project + "/.env"), "SECRET=1");
    CHECK_EQ(content(sandbox.project + "/keys/private"), "SECRET=2");
    CHECK_FALSE(std::filesystem::exists(sandbox.project + "/absent"));
    CHECK_FALSE(std::filesystem::exists(sandbox.project + "/.git2"));
  }

  TEST_CASE("a copy can be changed and replaced inside and stays as it was outside") {
    Sandbox sandbox;
    sandbox.policy.files.copy = list({sandbox.root + "/outside/secret"});
    const std::string copy = sandbox.root + "/outside/secret";
    const RunOutcome outcome = sandbox.shell(
        cat("cat ", copy, "; echo; cp ", copy, " ", copy, ".new; mv ", copy, ".new ", copy, " && echo moved"));
    CHECK_EQ(outcome.output, "SECRET=3\nmoved\n");
    CHECK_EQ(content(copy), "SECRET=3");
  }

  TEST_CASE("a project entered through a link is seen under both of its names") {
    Sandbox sandbox;
    std::filesystem::create_directory_symlink("project", sandbox.root + "/by-link");
    const std::string canonical = sandbox.project;
    sandbox.project = sandbox.root + "/by-link";
    CHECK_EQ(sandbox.shell("pwd -L; pwd -P; cat file").output, cat(sandbox.root, "/by-link\n", canonical, "\nkept"));
  }

  TEST_CASE("a command behind a chain of links, with an interpreter of its own, runs") {
    Sandbox sandbox;
    const std::string script =
        sandbox.scratch.write("tools/v1/bin/agent", cat("#!", sandbox.root, "/tools/by-link/shell\necho ran \"$@\"\n"));
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    std::filesystem::create_directory_symlink("v1/bin", sandbox.root + "/tools/by-link");
    std::filesystem::create_symlink("/bin/sh", sandbox.root + "/tools/v1/bin/shell");
    std::filesystem::create_symlink("tools/by-link/agent", sandbox.root + "/agent");
    const RunOutcome outcome = sandbox.run({sandbox.root + "/agent", "one", "two words"});
    CHECK_EQ(outcome.output, "ran one two words\n");
  }

  TEST_CASE("the environment inside is the plan's, also that of bwrap itself") {
    const Sandbox sandbox;
    ::setenv("AGENTCTL_TEST_SECRET", "canary", 1);
    const RunOutcome outcome = sandbox.shell("env; tr '\\0' '\\n' < /proc/1/environ; tr '\\0' ' ' < /proc/1/cmdline");
    ::unsetenv("AGENTCTL_TEST_SECRET");
    CHECK(outcome.output.find("canary") == std::string::npos);
    CHECK(outcome.output.find("--ro-bind") == std::string::npos);
    says(outcome, "AGENTCTL=1");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
