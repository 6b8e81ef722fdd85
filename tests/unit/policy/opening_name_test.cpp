// SPDX-License-Identifier: Apache-2.0
#include "policy/opening_name.h"

#include <doctest/doctest.h>

#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

Policy layer(std::string_view text, std::string_view source) {
  ReadOutcome outcome = read_policy(text, source);
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

std::vector<std::string> texts(const Entries& entries) {
  std::vector<std::string> all;
  for (const Entry& entry : entries) all.push_back(entry.text);
  return all;
}

std::string fault(const Result<void>& checked) { return checked ? "accepted" : checked.error().message; }

struct Outcome {
  Policy policy;
  std::vector<std::string> mistakes;
};

Outcome narrowed(std::string_view user, std::string_view project) {
  Outcome outcome;
  std::vector<Diagnostic> mistakes;
  outcome.policy = narrow(layer(user, "user"), layer(project, ".agentctl.toml"), {16ULL << 30, 8}, mistakes);
  for (const Diagnostic& mistake : mistakes) outcome.mistakes.push_back(render(mistake));
  return outcome;
}

constexpr std::string_view kWidens = "a project's file must not widen the sandbox: this would ";

TEST_SUITE("opening_name") {
  TEST_CASE("the names that [allow] takes are few, and '!' may stand before each") {
    for (const char* name : {"ssh-agent", "gpg-agent", "wayland", "!wayland"}) CHECK(check_socket_name(name));
    for (const char* name : {"gpu", "kvm", "!gpu"}) CHECK(check_device_name(name));
    CHECK_FALSE(check_socket_name("gpu"));
    CHECK_FALSE(check_device_name("wayland"));
    CHECK_FALSE(check_socket_name(""));
  }

  TEST_CASE("a slip is told the nearest name, and what is far from all of them the whole list") {
    CHECK_EQ(fault(check_socket_name("ssh_agent")), "is not known; did you mean 'ssh-agent'?");
    CHECK_EQ(fault(check_device_name("gpus")), "is not known; did you mean 'gpu'?");
    CHECK_EQ(fault(check_socket_name("/tmp/x.sock")), "is not known; there are ssh-agent, gpg-agent, wayland");
  }

  TEST_CASE("what would give the host away is refused with the reason") {
    CHECK_EQ(fault(check_socket_name("docker")), "is not offered: whoever reaches it is root on the host");
    CHECK(fault(check_socket_name("dbus")).find("has the host run programs") != std::string::npos);
    CHECK(fault(check_socket_name("x11")).find("type into all windows") != std::string::npos);
    CHECK(fault(check_device_name("sound")).find("microphone") != std::string::npos);
  }

  TEST_CASE("openings add up over the layers, '!' takes one out again, and nested is replaced") {
    std::vector<Diagnostic> mistakes;
    const Policy merged = merge(layer("[allow]\nsockets = [\"ssh-agent\", \"wayland\"]\nnested = true", "a"),
                                layer("[allow]\nsockets = [\"!wayland\", \"gpg-agent\", \"ssh-agent\"]\n"
                                      "devices = [\"gpu\"]\nnested = false",
                                      "b"),
                                mistakes);
    CHECK(mistakes.empty());
    CHECK_EQ(texts(merged.allow.sockets), std::vector<std::string>{"ssh-agent", "gpg-agent"});
    CHECK_EQ(texts(merged.allow.devices), std::vector<std::string>{"gpu"});
    REQUIRE(merged.allow.nested.has_value());
    CHECK_FALSE(merged.allow.nested->value);
    CHECK(check(merged).empty());
  }

  TEST_CASE("an opening that is taken out but was never in is a mistake of the user's own files") {
    std::vector<Diagnostic> mistakes;
    (void)merge({}, layer("[allow]\ndevices = [\"!gpu\"]", "user"), mistakes);
    REQUIRE_EQ(mistakes.size(), 1);
    CHECK_EQ(render(mistakes[0]), "user:2:12: error: '!gpu' takes nothing out of 'devices'");
  }

  TEST_CASE("a project opens nothing, not even what the user has open") {
    const std::string_view open = "[allow]\nsockets = [\"ssh-agent\"]";
    for (const std::string_view user : {std::string_view(), open}) {
      const Outcome outcome = narrowed(user, "[allow]\nsockets = [\"ssh-agent\"]\ndevices = [\"gpu\"]\nnested = true");
      REQUIRE_EQ(outcome.mistakes.size(), 3);
      CHECK_EQ(outcome.mistakes[0],
               std::string(".agentctl.toml:2:12: error: ").append(kWidens) + "open the socket 'ssh-agent'");
      CHECK_EQ(outcome.mistakes[1],
               std::string(".agentctl.toml:3:12: error: ").append(kWidens) + "open the device 'gpu'");
      CHECK_EQ(outcome.mistakes[2],
               std::string(".agentctl.toml:4:10: error: ").append(kWidens) + "let user namespaces be made inside");
      CHECK(outcome.policy.allow.devices.empty());
      CHECK_FALSE(outcome.policy.allow.nested.has_value());
    }
  }

  TEST_CASE("a project may close what the user has open, and what nobody has") {
    const Outcome outcome =
        narrowed("[allow]\nsockets = [\"ssh-agent\", \"wayland\"]\nnested = true",
                 "[allow]\nsockets = [\"!ssh-agent\", \"!gpg-agent\"]\ndevices = [\"!kvm\"]\nnested = false");
    CHECK(outcome.mistakes.empty());
    CHECK_EQ(texts(outcome.policy.allow.sockets), std::vector<std::string>{"wayland"});
    CHECK_FALSE(outcome.policy.allow.nested->value);
  }
}

}  // namespace
}  // namespace agentctl::policy
