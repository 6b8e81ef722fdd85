// SPDX-License-Identifier: Apache-2.0
#include "bwrap/environment_files.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "bwrap/plan_builder.h"
#include "policy/profiles.h"
#include "tests/unit/bwrap/sample_machine.h"

namespace agentctl::bwrap {
namespace {

Plan plan_of(const SampleMachine& machine, const policy::Policy& policy) {
  auto plan = build_plan(policy, machine.facts(policy));
  REQUIRE_MESSAGE(plan, (plan ? "" : plan.error().message));
  return std::move(*plan);
}

std::string value_in(const Plan& plan, const std::string& name) {
  for (const std::string& variable : plan.environment) {
    if (variable.starts_with(name + "=")) return variable.substr(name.size() + 1);
  }
  return "(unset)";
}

bool shows(const Plan& plan, const std::string& path) {
  return std::any_of(plan.operations.begin(), plan.operations.end(), [&](const Operation& operation) {
    return operation.kind == OperationKind::bind && operation.destination.str() == path &&
           operation.access == Access::read_only;
  });
}

bool warns(const Plan& plan, const std::string& text) {
  return std::find(plan.warnings.begin(), plan.warnings.end(), text) != plan.warnings.end();
}

}  // namespace

TEST_SUITE("environment_files") {
  TEST_CASE("TOOL-13: a file of certificates that a variable names is shown read-only, whatever else is beside it") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/corp/ca.pem").file("/home/ada/corp/ca.key");
    machine.environment["NODE_EXTRA_CA_CERTS"] = "/home/ada/corp/ca.pem";
    machine.certificate_files = {"/home/ada/corp/ca.pem"};
    const Plan plan = plan_of(machine, policy::built_in_default());
    CHECK(value_in(plan, "NODE_EXTRA_CA_CERTS") == "/home/ada/corp/ca.pem");
    CHECK(shows(plan, "/home/ada/corp/ca.pem"));
    CHECK_FALSE(shows(plan, "/home/ada/corp"));
  }

  TEST_CASE("TOOL-13: what is no such file is not shown, the variable is left out, and that is told") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/.ssh/id_ed25519");
    machine.environment["SSL_CERT_FILE"] = "/home/ada/.ssh/id_ed25519";
    const Plan plan = plan_of(machine, policy::built_in_default());
    CHECK(value_in(plan, "SSL_CERT_FILE") == "(unset)");
    CHECK_FALSE(shows(plan, "/home/ada/.ssh/id_ed25519"));
    CHECK(warns(plan,
                "environment: 'SSL_CERT_FILE' is not passed: the session does not see '/home/ada/.ssh/id_ed25519'"));
  }

  TEST_CASE("certificates are shown for a variable that the policy passes, and for no other") {
    SampleMachine machine = SampleMachine::debian();
    machine.file("/home/ada/ca.pem");
    machine.environment["PIP_CERT"] = "/home/ada/ca.pem";
    machine.certificate_files = {"/home/ada/ca.pem"};
    CHECK_FALSE(shows(plan_of(machine, sample_policy()), "/home/ada/ca.pem"));
  }

  TEST_CASE("TOOL-12: of a list of directories the session gets those that it sees") {
    const ShownPaths only_usr = [](const std::string& path) { return path.starts_with("/usr"); };
    CHECK(keep_shown_paths("TERMINFO_DIRS", "/home/x:/usr/share/terminfo:", only_usr) == "/usr/share/terminfo:");
    CHECK_FALSE(keep_shown_paths("LOCPATH", "/home/x", only_usr).has_value());
    CHECK_FALSE(keep_shown_paths("TERMINFO", "/home/x", only_usr).has_value());
    CHECK(keep_shown_paths("TERMINFO", "b64:AAAA", only_usr) == "b64:AAAA");
    CHECK(keep_shown_paths("TERM", "/home/x", only_usr) == "/home/x");
  }

  TEST_CASE("a file with a private key is no file of certificates") {
    const std::string certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    CHECK(holds_only_certificates("# corp\n" + certificate + certificate));
    CHECK_FALSE(holds_only_certificates(certificate + "-----BEGIN PRIVATE KEY-----\n"));
    CHECK_FALSE(holds_only_certificates(certificate + "-----BEGIN OPENSSH PRIVATE KEY-----\n"));
    CHECK_FALSE(holds_only_certificates("password = hunter2\n"));
    CHECK_FALSE(holds_only_certificates(""));
  }

  TEST_CASE("SEC-02: a pattern carries no secret, and says which variable it left out") {
    SampleMachine machine = SampleMachine::debian();
    machine.environment = {{"HOME", "/home/ada"},    {"PATH", "/usr/bin"},        {"MYAPP_MODE", "fast"},
                           {"MYAPP_TOKEN", "t0k3n"}, {"MYAPP_FN%%", "() { :; }"}, {"MYAPP_URL", "http://x/?a=b"}};
    policy::Policy policy = sample_policy();
    policy.env.pass = entries({"MYAPP_*"});
    const Plan plan = plan_of(machine, policy);
    CHECK(value_in(plan, "MYAPP_MODE") == "fast");
    CHECK(value_in(plan, "MYAPP_URL") == "http://x/?a=b");
    CHECK(value_in(plan, "MYAPP_TOKEN") == "(unset)");
    CHECK(value_in(plan, "MYAPP_FN%%") == "(unset)");
    CHECK(warns(plan, "environment: 'MYAPP_TOKEN' is not passed by 'MYAPP_*': name it in full"));
    policy.env.pass = entries({"MYAPP_*", "MYAPP_TOKEN"});
    CHECK(value_in(plan_of(machine, policy), "MYAPP_TOKEN") == "t0k3n");
  }
}

}  // namespace agentctl::bwrap
