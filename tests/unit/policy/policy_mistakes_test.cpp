// SPDX-License-Identifier: Apache-2.0
// Broken policies, tests/golden/policy/*.toml, and the whole text of what is said about each.
#include <doctest/doctest.h>

#include "policy/policy_reader.h"
#include "tests/support/golden.h"

namespace agentctl::policy {

TEST_SUITE_BEGIN("policy_mistakes");

TEST_CASE("every broken policy is refused with its place and a reason") {
  const auto names = test::golden_names("policy", ".toml");
  REQUIRE(names.size() >= 25);
  for (const std::string& name : names) {
    CAPTURE(name);
    const ReadOutcome outcome = read_policy(test::read_golden("policy/" + name + ".toml"), "policy.toml");
    const auto result = to_result(outcome.mistakes);
    REQUIRE_FALSE(result);
    CHECK(result.error().kind == ErrorKind::policy);
    test::check_golden("policy/" + name + ".txt", result.error().message + "\n");
  }
}

TEST_SUITE_END();

}  // namespace agentctl::policy
