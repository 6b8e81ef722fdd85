// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_rules.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/argv.h"
#include "bwrap/plan_builder.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

using List = policy::Entries policy::FileSettings::*;

Result<Plan> plan_with(const SampleMachine& machine,
                       const std::vector<std::pair<List, std::vector<std::string>>>& lists) {
  policy::Policy policy = sample_policy();
  for (const auto& [list, texts] : lists) policy.files.*list = entries(texts);
  return build_plan(policy, machine.facts(policy));
}

void refuses(const SampleMachine& machine, List list, const std::string& text, const std::string& message) {
  const Result<Plan> plan = plan_with(machine, {{list, {text}}});
  INFO("entry ", text);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().kind == ErrorKind::policy);
  CHECK_EQ(plan.error().message, message);
}

std::vector<const Operation*> below(const Plan& plan, const std::string& directory) {
  std::vector<const Operation*> found;
  for (const Operation& operation : plan.operations) {
    if (operation.destination.str().starts_with(directory + "/")) found.push_back(&operation);
  }
  return found;
}

std::vector<std::string> names_below(const Plan& plan, const std::string& directory) {
  std::vector<std::string> names;
  for (const Operation* operation : below(plan, directory)) names.push_back(operation->destination.str());
  return names;
}

constexpr List kReadOnly = &policy::FileSettings::read_only;
constexpr List kReadWrite = &policy::FileSettings::read_write;
constexpr List kCopy = &policy::FileSettings::copy;
constexpr List kHide = &policy::FileSettings::hide;
constexpr List kProtect = &policy::FileSettings::protect;
constexpr List kOptional = &policy::FileSettings::optional;

TEST_SUITE("file_rules") {
  TEST_CASE("a missing path is refused with its place, and passed over when optional") {
    const SampleMachine machine = SampleMachine::debian();
    refuses(machine, kReadOnly, "/opt/nope", "policy.toml:1:1: '/opt/nope' not found");
    CHECK(plan_with(machine, {{kReadOnly, {"/opt/nope"}}, {kOptional, {"/opt/nope"}}}).has_value());
  }

  TEST_CASE("a missing optional state directory is told, for what is written there is lost") {
    const Plan plan =
        plan_with(SampleMachine::debian(), {{kReadWrite, {"~/.agent"}}, {kOptional, {"~/.agent"}}}).value();
    CHECK_EQ(plan.warnings.back(), "files: ~/.agent is missing: what is written there is lost");
  }

  TEST_CASE("a dangling link is refused with the link that leads nowhere") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/home/ada/.gitconfig", "dot/gitconfig");
    refuses(
        machine, kReadOnly, "~/.gitconfig",
        "policy.toml:1:1: '~/.gitconfig' not found: the link '/home/ada/.gitconfig' leads to 'dot/gitconfig', which "
        "is not there");
  }

  TEST_CASE("writing to the home, the system, PATH or our own files is refused") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/bin/tool")
        .file("/home/ada/.config/agentctl/policy.toml")
        .directory("/home/ada/.local/state");
    machine.environment["PATH"] = "/home/ada/bin:/usr/bin";
    refuses(machine, kReadWrite, "~", "policy.toml:1:1: refused to make '~' writable: it is the home directory");
    refuses(machine, kReadWrite, "/etc/ssl",
            "policy.toml:1:1: refused to make '/etc/ssl' writable: '/etc' is the system's");
    refuses(
        machine, kReadWrite, "~/bin",
        "policy.toml:1:1: refused to make '~/bin' writable: it holds '/home/ada/bin', which is in PATH: what the agent "
        "puts there you would run");
    refuses(machine, kReadWrite, "~/bin/tool",
            "policy.toml:1:1: refused to make '~/bin/tool' writable: '/home/ada/bin' is in PATH");
    refuses(machine, kReadWrite, "~/.config",
            "policy.toml:1:1: refused to make '~/.config' writable: the configuration of agentctl is in "
            "'/home/ada/.config/agentctl'");
    refuses(
        machine, kReadWrite, "~/.config/agentctl/policy.toml",
        "policy.toml:1:1: refused to make '~/.config/agentctl/policy.toml' writable: the configuration of agentctl is "
        "in '/home/ada/.config/agentctl'");
    refuses(machine, kReadWrite, "~/.local/state",
            "policy.toml:1:1: refused to make '~/.local/state' writable: the state of agentctl is in "
            "'/home/ada/.local/state/agentctl'");
  }

  TEST_CASE("what has no place in the list is refused") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/proc/keys").file("/dev/kvm").directory("/run/agentctl/other").link("/data/root", "/");
    refuses(machine, kReadOnly, "/proc/keys", "policy.toml:1:1: '/proc/keys' must not lie in '/proc'");
    refuses(machine, kReadOnly, "/dev/kvm", "policy.toml:1:1: '/dev/kvm' must not lie in '/dev'");
    refuses(machine, kReadOnly, "/run/agentctl/other",
            "policy.toml:1:1: '/run/agentctl/other' must not lie in '/run/agentctl'");
    refuses(machine, kCopy, "/opt", "policy.toml:1:1: '/opt' must be a file to be copied");
    refuses(machine, kReadOnly, "~/a/../b", "policy.toml:1:1: '~/a/../b' must not hold '..' after a name");
  }

  TEST_CASE("a tree that would need a mount point made on the host is refused") {
    const Result<Plan> plan = plan_with(SampleMachine::debian(), {{kReadOnly, {"/run"}}});
    REQUIRE_FALSE(plan.has_value());
    CHECK(plan.error().message.find("would have to be made on the host, in '/run'") != std::string::npos);
  }

  TEST_CASE("what a glob in hide matches is hidden, and where it could not be looked for is told") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/shop/a/.env").directory("/home/ada/shop/.envs");
    policy::Policy policy = sample_policy();
    policy.files.hide = entries({"**/.env*"});
    HostFacts facts = machine.facts(policy);
    GlobFact& fact = facts.globs["**/.env*"];
    for (const char* path : {"/home/ada/shop/.envs", "/home/ada/shop/a/.env", "/home/ada/shop/gone"}) {
      fact.matches.push_back(machine.resolve(path));
    }
    fact.matches.push_back(machine.resolve("/dev/null"));
    fact.left_out = {"'/home/ada/shop/far' (another file system)"};
    const Plan plan = build_plan(policy, facts).value();
    CHECK_EQ(join(plan.hidden, " "), "/home/ada/shop/.envs /home/ada/shop/a/.env");
    CHECK(
        join(plan.warnings, "\n").find("'**/.env*' was not looked for in '/home/ada/shop/far' (another file system)") !=
        std::string::npos);
    fact.matches = {machine.resolve("/home/ada/shop")};
    CHECK_FALSE(build_plan(policy, facts).has_value());
  }

  TEST_CASE("what a glob in protect matches is read-only") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/shop/a.toml");
    policy::Policy policy = sample_policy();
    policy.files.protect = entries({"./*.toml"});
    HostFacts facts = machine.facts(policy);
    facts.protected_globs["./*.toml"].matches.push_back(machine.resolve("/home/ada/shop/a.toml"));
    const Plan plan = build_plan(policy, facts).value();
    const auto is_bind = [](const Operation& operation) {
      return operation.kind == OperationKind::bind && operation.access == Access::read_only &&
             operation.destination.str() == "/home/ada/shop/a.toml" && operation.origin == "policy.toml:1:1";
    };
    CHECK(std::any_of(plan.operations.begin(), plan.operations.end(), is_bind));
  }

  TEST_CASE("what git tracks is refused where the user hides it, and left visible and told where it is the default's") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/shop/.env").file("/home/ada/shop/new.env");
    policy::Policy policy = sample_policy();
    policy.files.hide = entries({"**/*.env"});
    HostFacts facts = machine.facts(policy);
    for (const char* path : {"/home/ada/shop/.env", "/home/ada/shop/new.env"}) {
      facts.globs["**/*.env"].matches.push_back(machine.resolve(path));
    }
    facts.tracked["/home/ada/shop/.env"] = {TrackedFact::State::unchanged, "/home/ada/shop/.env", "", ""};
    const auto refused = build_plan(policy, facts);
    REQUIRE_FALSE(refused.has_value());
    CHECK_EQ(refused.error().message,
             "policy.toml:1:1: '**/*.env' hides '.env', which git tracks: the next commit inside would empty it");
    CHECK(refused.error().hint.find("git rm --cached -r -- .env") != std::string::npos);

    policy.files.hide[0].origin = {"built-in default", 1, 1};
    const Plan plan = build_plan(policy, facts).value();
    CHECK_EQ(join(plan.hidden, " "), "/home/ada/shop/new.env");
    CHECK(join(plan.warnings, "\n").find("visible, since git tracks them and has their content anyway: .env") !=
          std::string::npos);
    facts.tracked["/home/ada/shop/.env"].state = TrackedFact::State::changed;
    const auto changed = build_plan(policy, facts);
    REQUIRE_FALSE(changed.has_value());
    CHECK(changed.error().hint.starts_with("--rw .env to show it"));
  }

  TEST_CASE("a path that the same file shows is not hidden by a glob of it") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/shop/.env").file("/home/ada/shop/new.env");
    policy::Policy policy = sample_policy();
    policy.files.hide = entries({"**/*.env"});
    policy.files.read_write = entries({"./.env"});
    HostFacts facts = machine.facts(policy);
    for (const char* path : {"/home/ada/shop/.env", "/home/ada/shop/new.env"}) {
      facts.globs["**/*.env"].matches.push_back(machine.resolve(path));
    }
    CHECK_EQ(join(build_plan(policy, facts)->hidden, " "), "/home/ada/shop/new.env");
    policy.files.hide[0].origin.source = "other.toml";
    CHECK_EQ(join(build_plan(policy, facts)->hidden, " "), "/home/ada/shop/.env /home/ada/shop/new.env");
    policy.files.hide[0].origin.source = "built-in default";
    CHECK_EQ(join(build_plan(policy, facts)->hidden, " "), "/home/ada/shop/new.env");
  }

  TEST_CASE("hiding what is absent or not inside anyway changes nothing") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/.ssh");
    const Plan plan = plan_with(machine, {{kHide, {"~/.ssh", "~/.netrc"}}}).value();
    CHECK_EQ(names_below(plan, "/home/ada"), std::vector<std::string>{"/home/ada/.cache", "/home/ada/shop"});
  }

  TEST_CASE("an entry of the user's own that names nothing is told, with what stands near") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/.wapp").link("/home/ada/.lost", "gone");
    policy::Policy policy = sample_policy();
    policy.files.hide = entries({"~/.wasp", "~/.lost", "~/.maybe", "~/.others"});
    policy.files.protect = entries({"./Makfile"});
    policy.files.optional = entries({"~/.maybe"});
    for (const std::size_t own : {0U, 1U, 2U}) policy.files.hide[own].told_if_missing = true;
    policy.files.protect[0].told_if_missing = true;
    HostFacts facts = machine.facts(policy);
    facts.near_names["/home/ada/.wasp"] = "/home/ada/.wapp";
    const Plan plan = build_plan(policy, facts).value();
    std::vector<std::string> told;
    for (const std::string& warning : plan.warnings) {
      if (warning.find(" nothing") != std::string::npos) told.push_back(warning);
    }
    REQUIRE_EQ(told.size(), 3);
    CHECK_EQ(told[0], "files: '~/.wasp' hides nothing yet: it is not there; did you mean '/home/ada/.wapp'?");
    CHECK_EQ(told[1], "files: '~/.lost' hides nothing yet: the link '/home/ada/.lost' leads to nothing");
    CHECK_EQ(told[2], "files: './Makfile' protects nothing: it is not there");
    CHECK(join(plan.warnings, "\n").find("maybe") == std::string::npos);
    CHECK(join(plan.warnings, "\n").find("others") == std::string::npos);
  }

  TEST_CASE("a missing path that must be there is refused with what stands near") {
    const SampleMachine machine = SampleMachine::debian();
    policy::Policy policy = sample_policy();
    policy.files.read_only = entries({"~/shpo"});
    HostFacts facts = machine.facts(policy);
    facts.near_names["/home/ada/shpo"] = "/home/ada/shop";
    const Result<Plan> plan = build_plan(policy, facts);
    REQUIRE_FALSE(plan.has_value());
    CHECK_EQ(plan.error().message, "policy.toml:1:1: '~/shpo' not found; did you mean '/home/ada/shop'?");
  }

  TEST_CASE("what the built-in default hides is no project, until the user takes it out") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/.local/share/keyrings/mine");
    policy::Policy policy = sample_policy();
    policy.files.hide = {{"~/.local/share/keyrings", {"built-in default", 29, 3}}};
    for (const char* project : {"/home/ada/.local/share/keyrings", "/home/ada/.local/share/keyrings/mine"}) {
      machine.project = project;
      const Result<Plan> plan = build_plan(policy, machine.facts(policy));
      REQUIRE_FALSE(plan.has_value());
      CHECK(plan.error().kind == ErrorKind::policy);
      CHECK(plan.error().message.find("~/.local/share/keyrings', a known place of secrets") != std::string::npos);
      CHECK(plan.error().hint.find("--hide '!~/.local/share/keyrings'") != std::string::npos);
    }
    policy.files.hide.clear();
    CHECK(build_plan(policy, machine.facts(policy)).has_value());
  }

  TEST_CASE("what the user's own policy hides above a project is hidden around it") {
    policy::Policy policy = sample_policy();
    policy.files.hide = entries({"/home/ada/dev"});
    SampleMachine machine = SampleMachine::debian();
    machine.project = "/home/ada/dev/shop";
    machine.directory(machine.project);
    CHECK(build_plan(policy, machine.facts(policy)).has_value());
  }

  TEST_CASE("hide covers a directory with an empty closed one and a file with an empty file") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/shop/keys").file("/home/ada/shop/.env");
    const Plan plan = plan_with(machine, {{kHide, {"./keys", "./.env"}}}).value();
    const auto hidden = below(plan, "/home/ada/shop");
    REQUIRE_EQ(hidden.size(), 2);
    for (const Operation* mask : hidden) {
      CHECK(mask->kind == OperationKind::mask);
      CHECK_EQ(mask->source.str(), mask->destination.str());
    }
    CHECK_EQ(hidden[0]->destination.str(), "/home/ada/shop/.env");
    CHECK_FALSE(hidden[0]->directory);
    CHECK_EQ(hidden[1]->destination.str(), "/home/ada/shop/keys");
    CHECK(hidden[1]->directory);
  }

  TEST_CASE("a hidden directory takes with it what is shown there by default, and that is told") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/etc/ssl/certs").file("/etc/ssl/openssl.cnf");
    const Plan plan = plan_with(machine, {{kHide, {"/etc/ssl"}}}).value();
    CHECK(names_below(plan, "/etc/ssl").empty());
    const std::string told = join(plan.warnings, "\n");
    INFO(told);
    CHECK(told.find("'/etc/ssl' is hidden, and with it what is shown by default: '/etc/ssl/certs'") !=
          std::string::npos);
    CHECK(names_below(plan_with(machine, {{kHide, {"/etc"}}}).value(), "/etc").empty());
  }

  TEST_CASE("what another rule shows in a hidden directory stays, whatever is shown by default beside it") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/etc/ssl/certs").file("/etc/ssl/openssl.cnf");
    const Plan plan = plan_with(machine, {{kHide, {"/etc/ssl"}}, {kReadOnly, {"/etc/ssl/openssl.cnf"}}}).value();
    CHECK_EQ(names_below(plan, "/etc/ssl"), std::vector<std::string>{"/etc/ssl/openssl.cnf"});
  }

  TEST_CASE("what every program needs cannot be hidden as a whole") {
    refuses(SampleMachine::debian(), kHide, "/usr", "policy.toml:1:1: '/usr' is a place without which no program runs");
    CHECK(plan_with(SampleMachine::debian(), {{kHide, {"/usr/share"}}}).has_value());
  }

  TEST_CASE("hiding a link hides the thing under both of its names") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/home/ada/.netrc", "dot/netrc").file("/home/ada/dot/netrc");
    const Plan plan = plan_with(machine, {{kReadWrite, {"~/dot"}}, {kHide, {"~/.netrc"}}}).value();
    const auto hidden = below(plan, "/home/ada/dot");
    REQUIRE_EQ(hidden.size(), 1);
    CHECK_EQ(hidden[0]->destination.str(), "/home/ada/dot/netrc");
    CHECK(hidden[0]->kind == OperationKind::mask);
  }

  TEST_CASE("the project cannot be hidden, but can be made read-only") {
    const SampleMachine machine = SampleMachine::debian();
    refuses(machine, kHide, ".", "policy.toml:1:1: '.' is the project, which cannot be hidden");
    const Plan plan = plan_with(machine, {{kProtect, {"."}}}).value();
    const auto project = std::find_if(plan.operations.begin(), plan.operations.end(), [](const Operation& operation) {
      return operation.kind == OperationKind::bind_project;
    });
    REQUIRE(project != plan.operations.end());
    CHECK(project->access == Access::read_only);
  }

  TEST_CASE("protect never shows what was not inside") {
    SampleMachine machine = SampleMachine::debian();
    machine.directory("/home/ada/.ssh");
    const Plan plan = plan_with(machine, {{kProtect, {"~/.ssh"}}}).value();
    CHECK_EQ(names_below(plan, "/home/ada"), std::vector<std::string>{"/home/ada/.cache", "/home/ada/shop"});
  }

  TEST_CASE("protecting through a link in the project is told") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/home/ada/shop/.claude", "real").directory("/home/ada/shop/real");
    const Plan plan = plan_with(machine, {{kProtect, {"./.claude"}}}).value();
    CHECK_EQ(plan.warnings.back(),
             "files: './.claude' is protected only at '/home/ada/shop/real': the agent may replace the link "
             "'/home/ada/shop/.claude'");
  }

  TEST_CASE("a dotfile that is a link comes with its link and its target only") {
    SampleMachine machine = SampleMachine::debian();
    machine.link("/home/ada/.gitconfig", "dot/git/config").file("/home/ada/dot/git/config");
    const Plan plan = plan_with(machine, {{kReadOnly, {"~/.gitconfig"}}}).value();
    const auto found = below(plan, "/home/ada");
    REQUIRE_EQ(found.size(), 4);
    CHECK(found[1]->kind == OperationKind::symlink);
    CHECK_EQ(found[1]->text, "dot/git/config");
    CHECK_EQ(found[3]->destination.str(), "/home/ada/dot/git/config");
  }
}

}  // namespace
}  // namespace agentctl::bwrap
