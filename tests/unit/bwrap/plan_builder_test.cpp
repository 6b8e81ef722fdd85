// SPDX-License-Identifier: Apache-2.0
#include "bwrap/plan_builder.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

Result<Plan> plan_of(const SampleMachine& machine, const policy::Policy& policy = sample_policy()) {
  return build_plan(policy, machine.facts(policy));
}

bool mentions(const Error& error, std::string_view text) { return error.message.find(text) != std::string::npos; }

// The last operation at exactly this destination, remounts aside.
const Operation* at(const Plan& plan, const std::string& destination) {
  const auto found = std::find_if(plan.operations.begin(), plan.operations.end(), [&](const Operation& operation) {
    return operation.destination.str() == destination && operation.kind != OperationKind::remount_read_only;
  });
  return found == plan.operations.end() ? nullptr : &*found;
}

std::string value_in(const Plan& plan, const std::string& name) {
  for (const std::string& variable : plan.environment) {
    if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
  }
  return "(unset)";
}

void refuses_project(SampleMachine machine, const std::string& project, std::string_view reason) {
  machine.project = project;
  const Result<Plan> plan = plan_of(machine);
  INFO("project ", project);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().kind == ErrorKind::policy);
  CHECK_MESSAGE(mentions(plan.error(), reason), plan.error().message);
}

TEST_SUITE("plan_builder") {
  TEST_CASE("a project that holds the home, the system, our own files or a directory of PATH is refused") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/tools/bin").directory("/home/ada/.config/agentctl/profiles").directory("/proc/1");
    machine.directory("/home/ada/.local/state");
    machine.environment["PATH"] = "/home/ada/tools/bin:/usr/bin";
    refuses_project(machine, "/home/ada", "it is the home directory");
    refuses_project(machine, "/home", "whole system");
    refuses_project(machine, "/tmp", "whole system");
    refuses_project(machine, "/usr/bin", "'/usr' is the system's");
    refuses_project(machine, "/etc/ssl", "'/etc' is the system's");
    refuses_project(machine, "/proc/1", "'/proc' is the system's");
    refuses_project(machine, "/home/ada/tools", "which is in PATH");
    refuses_project(machine, "/home/ada/tools/bin", "which is in PATH");
    refuses_project(machine, "/home/ada/.config", "configuration of agentctl");
    refuses_project(machine, "/home/ada/.config/agentctl/profiles", "configuration of agentctl");
    refuses_project(machine, "/home/ada/.local/state", "state of agentctl");
  }

  TEST_CASE("a link to the home does not get around the refusal") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/data/innocent", "/home/ada");
    refuses_project(machine, "/data/innocent", "it is the home directory");
  }

  TEST_CASE("the root is refused as a project") {
    const policy::Policy policy = sample_policy();
    HostFacts facts = SampleMachine::debian().facts(policy);
    facts.project = ProjectFact{HostPath("/"), HostPath("/")};
    const Result<Plan> plan = build_plan(policy, facts);
    REQUIRE_FALSE(plan.has_value());
    CHECK(mentions(plan.error(), "whole system"));
  }

  TEST_CASE("a directory beside the home, below /tmp or below /usr/src may be a project") {
    for (const char* project : {"/data/shop", "/tmp/shop", "/usr/src/linux", "/home/ada/x/y"}) {
      SampleMachine machine = SampleMachine::debian();
      machine.directory(project);
      machine.project = project;
      const Result<Plan> plan = plan_of(machine);
      REQUIRE_MESSAGE(plan.has_value(), project);
      REQUIRE(at(*plan, project) != nullptr);
      CHECK(at(*plan, project)->kind == OperationKind::bind_project);
    }
  }

  TEST_CASE("of the environment only what the policy passes comes in, and set comes last") {
    policy::Policy policy = sample_policy();
    policy.env.set["TMPDIR"] = policy::Setting<std::string>{"/tmp/mine", {}};
    const Plan plan = plan_of(SampleMachine::debian(), policy).value();
    CHECK_EQ(value_in(plan, "API_TOKEN"), "(unset)");
    CHECK_EQ(value_in(plan, "LC_TIME"), "de_DE.UTF-8");
    CHECK_EQ(value_in(plan, "TMPDIR"), "/tmp/mine");
    CHECK_EQ(value_in(plan, "AGENTCTL"), "1");
    CHECK_EQ(value_in(plan, "PWD"), "/home/ada/shop");
    CHECK_EQ(value_in(plan, "XDG_RUNTIME_DIR"), "/run/user/1000");
  }

  TEST_CASE("variables of the dynamic linker never pass, and values are kept byte by byte") {
    SampleMachine machine = SampleMachine::debian();
    machine.environment["LD_PRELOAD"] = "/tmp/evil.so";
    machine.environment["LC_BAD"] = "\xff\xfe";
    policy::Policy policy = sample_policy();
    policy.env.pass = entries({"LD_PRELOAD", "LC_BAD"});
    const Plan plan = plan_of(machine, policy).value();
    CHECK_EQ(value_in(plan, "LD_PRELOAD"), "(unset)");
    CHECK_EQ(value_in(plan, "LC_BAD"), "\xff\xfe");
  }

  TEST_CASE("PATH keeps what is visible, in order, and never what is relative") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/bin").directory("/opt/tools/bin").link("/data/bin", "/opt/tools/bin");
    machine.environment["PATH"] = "/home/ada/bin:/opt/tools/bin:.::node_modules/.bin:/usr/bin:/data/bin:/usr/bin/";
    CHECK_EQ(value_in(plan_of(machine).value(), "PATH"), "/home/ada/bin:/opt/tools/bin:/usr/bin:/data/bin");
    machine.environment["PATH"] = "/home/ada/gone";
    CHECK_EQ(value_in(plan_of(machine).value(), "PATH"), "/usr/local/bin:/usr/bin:/bin");
  }

  TEST_CASE("a shell that is not visible is replaced") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/bin/fish");
    machine.environment["SHELL"] = "/home/ada/bin/fish";
    CHECK_EQ(value_in(plan_of(machine).value(), "SHELL"), "/bin/sh");
  }

  TEST_CASE("a dangling resolv.conf is told and leaves no broken mount") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/etc/resolv.conf", "/run/NetworkManager/resolv.conf");
    const Plan plan = plan_of(machine).value();
    CHECK(at(plan, "/etc/resolv.conf") == nullptr);
    REQUIRE_EQ(plan.warnings.size(), 2);
    CHECK_EQ(plan.warnings[0], "network: shared with the host");
    CHECK(plan.warnings[1].find("/run/NetworkManager/resolv.conf") != std::string::npos);
  }

  TEST_CASE("a shared network is closed by Landlock where the kernel can, and told where it cannot") {
    const SampleMachine machine = SampleMachine::debian();
    policy::Policy policy = sample_policy();
    HostFacts facts = machine.facts(policy);
    CHECK(build_plan(policy, facts).value().closes_scopes);
    facts.has_landlock_scopes = false;
    const Plan open = build_plan(policy, facts).value();
    CHECK_FALSE(open.closes_scopes);
    REQUIRE_EQ(open.warnings.size(), 1);
    CHECK(open.warnings[0].starts_with("network: shared with the host, sockets by an abstract name included"));
    policy.network->value = policy::NetworkMode::none;
    facts.has_landlock_scopes = true;
    CHECK_FALSE(build_plan(policy, facts).value().closes_scopes);
  }

  TEST_CASE("without the network there is no resolv.conf") {
    policy::Policy policy = sample_policy();
    policy.network.reset();
    const Plan plan = plan_of(SampleMachine::debian(), policy).value();
    CHECK(plan.network == policy::NetworkMode::none);
    CHECK(at(plan, "/etc/resolv.conf") == nullptr);
  }

  TEST_CASE(
      "with an allowlist names are asked for inside, and programs find the door by variables and by git's setting") {
    SampleMachine machine = SampleMachine::debian();
    machine.environment["HTTPS_PROXY"] = "http://ada:hunter2@proxy.example:3128";
    machine.environment["no_proxy"] = "10.0.0.0/8";
    policy::Policy policy = sample_policy();
    policy.network->value = policy::NetworkMode::allowlist;
    policy.hosts.allow = entries({"example.org"});
    policy.env.pass = entries({"HTTPS_PROXY", "no_*", "GOPROXY"});
    const Plan plan = plan_of(machine, policy).value();
    REQUIRE(at(plan, "/etc/resolv.conf") != nullptr);
    CHECK(at(plan, "/etc/resolv.conf")->text.find("nameserver 127.0.0.1\n") != std::string::npos);
    CHECK_FALSE(plan.closes_scopes);
    CHECK_EQ(value_in(plan, "HTTPS_PROXY"), "http://127.0.0.1:3128");
    CHECK_EQ(value_in(plan, "no_proxy"), "localhost,127.0.0.1,::1");
    CHECK_EQ(value_in(plan, "GIT_CONFIG_KEY_0"), "http.proxy");
    for (const std::string& variable : plan.environment) CHECK(variable.find("hunter2") == std::string::npos);
    REQUIRE_EQ(plan.warnings.size(), 2);
    CHECK(plan.warnings[0].starts_with("environment: 'HTTPS_PROXY' is not passed"));
    CHECK(plan.warnings[1].starts_with("environment: 'no_proxy' is not passed"));
  }

  TEST_CASE("with an allowlist a proxy that the user sets wins, for git too") {
    policy::Policy policy = sample_policy();
    policy.network->value = policy::NetworkMode::allowlist;
    policy.hosts.allow = entries({"example.org"});
    policy.env.set["https_proxy"] = policy::Setting<std::string>{"http://127.0.0.1:8080", {}};
    const Plan plan = plan_of(SampleMachine::debian(), policy).value();
    CHECK_EQ(value_in(plan, "https_proxy"), "http://127.0.0.1:8080");
    CHECK_EQ(value_in(plan, "HTTPS_PROXY"), "http://127.0.0.1:3128");
    for (const std::string& variable : plan.environment) CHECK(variable.find("http.proxy") == std::string::npos);
  }

  TEST_CASE("without an allowlist there is no proxy of ours, and the host's comes where the policy passes it") {
    SampleMachine machine = SampleMachine::debian();
    machine.environment["HTTPS_PROXY"] = "http://proxy.example:3128";
    policy::Policy policy = sample_policy();
    policy.env.pass = entries({"HTTPS_PROXY"});
    for (const auto mode : {policy::NetworkMode::none, policy::NetworkMode::nat, policy::NetworkMode::host}) {
      policy.network->value = mode;
      const Plan plan = plan_of(machine, policy).value();
      CHECK_EQ(value_in(plan, "HTTPS_PROXY"), "http://proxy.example:3128");
      CHECK_EQ(value_in(plan, "NODE_USE_ENV_PROXY"), "(unset)");
      CHECK_EQ(value_in(plan, "NO_PROXY"), "(unset)");
    }
    policy.env.pass.clear();
    CHECK_EQ(value_in(plan_of(machine, policy).value(), "HTTPS_PROXY"), "(unset)");
  }

  TEST_CASE("a read-only home is bound, and a copy in it covers the file that is there") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/.claude.json");
    policy::Policy policy = sample_policy();
    policy.files.home = policy::Setting<policy::HomeMode>{policy::HomeMode::read_only, {}};
    policy.files.copy = entries({"~/.claude.json"});
    const Plan plan = plan_of(machine, policy).value();
    REQUIRE(at(plan, "/home/ada") != nullptr);
    CHECK(at(plan, "/home/ada")->kind == OperationKind::bind);
    CHECK(at(plan, "/home/ada")->access == Access::read_only);
    CHECK(at(plan, "/home/ada/.claude.json")->kind == OperationKind::copy);
  }

  TEST_CASE("a home that is the root is refused") {
    SampleMachine machine = SampleMachine::debian();
    const policy::Policy policy = sample_policy();
    HostFacts facts = machine.facts(policy);
    facts.home = PathFact{HostPath("/"), HostPath("/"), PathKind::directory, {}};
    facts.project = ProjectFact{HostPath("/data/x"), HostPath("/data/x")};
    CHECK_FALSE(build_plan(policy, facts).has_value());
  }

  TEST_CASE("a command inside the project adds no read-only mount to it") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/shop/.venv/bin/tool").directory("/home/ada/shop/.venv/lib");
    machine.command = {"./.venv/bin/tool"};
    machine.program = "/home/ada/shop/.venv/bin/tool";
    machine.needs = {"/home/ada/shop/.venv"};
    const Plan plan = plan_of(machine).value();
    CHECK(at(plan, "/home/ada/shop/.venv") == nullptr);
    CHECK_EQ(plan.program.str(), "/home/ada/shop/.venv/bin/tool");
  }

  TEST_CASE("the last operations close /dev, /etc and the root") {
    const Plan plan = plan_of(SampleMachine::debian()).value();
    REQUIRE(plan.operations.size() > 2);
    CHECK(plan.operations.back().kind == OperationKind::remount_read_only);
    CHECK_EQ(plan.operations.back().destination.str(), "/");
    CHECK_EQ(plan.operations[plan.operations.size() - 2].destination.str(), "/etc");
    CHECK_EQ(plan.operations[plan.operations.size() - 3].destination.str(), "/dev");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
