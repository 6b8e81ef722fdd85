// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/found_profiles.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::launcher {
namespace {

std::string ordered(std::vector<std::string> found, const std::string& last) {
  const auto profiles = order_profiles(std::move(found), last);
  return profiles ? join(*profiles, " ") : profiles.error().message;
}

}  // namespace

TEST_SUITE("found profiles") {
  TEST_CASE("the project's last is offered first and the shell last") {
    CHECK(ordered({"claude", "codex", "shell"}, "codex") == "codex claude shell");
    CHECK(ordered({"shell", "claude", "zed"}, "") == "claude zed shell");
    CHECK(ordered({"claude", "shell"}, "shell") == "shell claude");
    CHECK(ordered({"claude"}, "gone") == "claude");
  }

  TEST_CASE("a shell alone is taken where it was the last") { CHECK(ordered({"shell"}, "shell") == "shell"); }

  TEST_CASE("without an agent it is refused, with what helps") {
    CHECK(ordered({}, "") == "no agent that agentctl knows is found");
    CHECK(ordered({"shell"}, "claude") == "no agent that agentctl knows is found");
    CHECK(order_profiles({}, "claude").error().hint.find("profile new") != std::string::npos);
  }
}

}  // namespace agentctl::launcher
