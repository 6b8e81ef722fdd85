// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/argv.h"
#include "bwrap/plan_builder.h"
#include "tests/support/golden.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

std::string describe(const SampleMachine& machine, const policy::Policy& policy) {
  const Result<Plan> plan = build_plan(policy, machine.facts(policy));
  if (!plan) return cat("error: ", plan.error().message, "\n");
  BwrapFds fds;
  fds.project = 10;
  fds.stage = 11;
  fds.block = 12;
  fds.status = 13;
  fds.seccomp = {14, 15};
  fds.copies = {20, 21, 22, 23};
  const Result<std::vector<std::string>> options = render_options(*plan, fds);
  if (!options) return cat("error: ", options.error().message, "\n");
  std::string text;
  for (const std::string& option : *options) text += option + "\n";
  text += cat("\nprogram ", plan->program.str(), "\n");
  for (const std::string& variable : plan->environment) text += cat("env ", variable, "\n");
  for (const std::string& warning : plan->warnings) text += cat("warning ", warning, "\n");
  return text;
}

void check(const std::string& name, const SampleMachine& machine, const policy::Policy& policy = sample_policy()) {
  test::check_golden(cat("plan/", name, ".txt"), describe(machine, policy));
}

TEST_SUITE("golden_plan") {
  TEST_CASE("a Debian host with merged /usr and the default policy") { check("merged_usr", SampleMachine::debian()); }

  TEST_CASE("a host with unmerged /usr keeps its directories") {
    SampleMachine machine = SampleMachine::debian();
    for (const char* name : {"/bin", "/sbin", "/lib", "/lib64"}) machine.remove(name).directory(name);
    machine.file("/bin/dash").link("/bin/sh", "dash");
    machine.program = "/bin/sh";
    check("unmerged_usr", machine);
  }

  TEST_CASE("a project entered through a link has both names inside") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/data/shop-2").link("/home/ada/work", "/data/shop-2");
    machine.project = "/home/ada/work";
    check("project_by_link", machine);
  }

  TEST_CASE("resolv.conf that leads into /run is followed") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/run/systemd/resolve/stub-resolv.conf");
    machine.link("/etc/resolv.conf", "../run/systemd/resolve/stub-resolv.conf");
    check("resolv_conf_link", machine);
  }

  TEST_CASE("an agent in the home comes with its link chain and its tree, and keeps its state") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/home/ada/.local/bin/claude", "../share/claude/versions/2.1.3");
    machine.file("/home/ada/.local/share/claude/versions/2.1.3");
    machine.file("/home/ada/.claude/settings.json").file("/home/ada/dot/claude.json");
    machine.link("/home/ada/.claude.json", "dot/claude.json");
    machine.directory("/home/ada/.claude/secrets").directory("/home/ada/shop/.git/hooks");
    machine.command = {"claude", "--resume"};
    machine.program = "/home/ada/.local/bin/claude";
    machine.needs = {"/home/ada/.local/share/claude/versions"};
    machine.environment["PATH"] = "/home/ada/.local/bin:/usr/bin:/bin:/home/ada/gone:relative";
    policy::Policy policy = sample_policy();
    policy.files.read_write = entries({"~/.claude"});
    policy.files.copy = entries({"~/.claude.json"});
    policy.files.hide = entries({"~/.claude/secrets"});
    policy.files.protect = entries({"~/.claude/settings.json", "./.git/hooks", "./.git/config"});
    check("agent_in_home", machine, policy);
  }

  TEST_CASE("a home below /var with a link in /home keeps both names") {
    SampleMachine machine = SampleMachine::debian();
    machine.remove("/home/ada/shop").remove("/home/ada").remove("/home").link("/home", "var/home");
    machine.directory("/var/home/ada/shop");
    check("home_below_var", machine);
  }

  TEST_CASE("root has the same walls") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/root/site");
    machine.uid = 0;
    machine.user = "root";
    machine.home = "/root";
    machine.project = "/root/site";
    check("root_user", machine);
  }

  TEST_CASE("without a network and without --bind-fd") {
    SampleMachine machine = SampleMachine::debian();
    machine.has_bind_fd = false;
    policy::Policy policy = sample_policy();
    policy.network.reset();
    check("no_network_old_bwrap", machine, policy);
  }

  TEST_CASE("a host whose programs come from the store") {
    SampleMachine machine = SampleMachine::debian();
    for (const char* name : {"/bin", "/sbin", "/lib", "/lib64"}) machine.remove(name);
    machine.directory("/nix/store/abc-system/sw/bin").file("/nix/store/xyz-agent/bin/agent");
    machine.link("/nix/store/abc-system/sw/bin/agent", "/nix/store/xyz-agent/bin/agent");
    machine.link("/run/current-system", "/nix/store/abc-system");
    machine.command = {"agent"};
    machine.program = "/run/current-system/sw/bin/agent";
    machine.environment["PATH"] = "/run/current-system/sw/bin";
    check("store_host", machine);
  }
}

}  // namespace
}  // namespace agentctl::bwrap
