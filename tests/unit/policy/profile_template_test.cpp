// SPDX-License-Identifier: Apache-2.0
#include "policy/profile_template.h"

#include <doctest/doctest.h>

#include "policy/embedded_profiles.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

Policy read_good(const std::string& text) {
  ReadOutcome outcome = read_policy(text, "new.toml");
  for (const Diagnostic& mistake : outcome.mistakes) FAIL_CHECK(render(mistake));
  return std::move(outcome.policy);
}

}  // namespace

TEST_SUITE("profile_template") {
  TEST_CASE("DESK-01: a profile made after one of ours differs in the place of its program alone") {
    for (const EmbeddedText& profile : embedded_profiles()) {
      if (profile.name == "default") continue;
      CAPTURE(profile.name);
      const auto made = make_profile_text(profile.name, profile.text, "/home/ada/.local/bin/x");
      REQUIRE(made);
      const Policy before = read_good(std::string(profile.text));
      const Policy after = read_good(*made);
      REQUIRE(after.command);
      CHECK(after.command->value[0] == "/home/ada/.local/bin/x");
      CHECK(after.command->value.size() == before.command->value.size());
      CHECK(after.files.read_write.size() == before.files.read_write.size());
      CHECK(after.env.pass.size() == before.env.pass.size());
    }
  }

  TEST_CASE("a bare profile reads, and holds the program whatever its name") {
    const auto made = make_profile_text("aider", "", "/opt/a \"b\"\\c/aider");
    REQUIRE(made);
    CHECK(read_good(*made).command->value == std::vector<std::string>{"/opt/a \"b\"\\c/aider"});
  }

  TEST_CASE("a profile whose command cannot be told is not guessed at") {
    CHECK_FALSE(make_profile_text("x", "[files]\nhide = []\n", "/x"));
    CHECK_FALSE(make_profile_text("x", "[agent]\ncommand=['x']\n", "/x"));
  }
}

}  // namespace agentctl::policy
