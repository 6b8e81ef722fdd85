// SPDX-License-Identifier: Apache-2.0
#include "policy/limit_setting.h"

#include <doctest/doctest.h>

namespace agentctl::policy {
namespace {

std::string refusal(std::string_view key, std::string_view text) {
  LimitSettings limits;
  const auto result = assign_limit(limits, key, text, {"--x"});
  return result ? "accepted" : result.error().message;
}

}  // namespace

TEST_SUITE_BEGIN("limit_setting");

TEST_CASE("a value is stored as written, with its origin") {
  LimitSettings limits;
  REQUIRE(assign_limit(limits, "memory-max", "60%", {"--memory-max"}));
  CHECK_EQ(limits.memory_max->value, "60%");
  CHECK_EQ(limits.memory_max->origin.source, "--memory-max");
  REQUIRE(assign_limit(limits, "oom", "session", {"x"}));
  CHECK(limits.oom->value == OomMode::session);
}

TEST_CASE("a refused value leaves the setting as it was") {
  LimitSettings limits;
  REQUIRE(assign_limit(limits, "tasks-max", "10", {}));
  CHECK_FALSE(assign_limit(limits, "tasks-max", "0", {}));
  CHECK_EQ(limits.tasks_max->value, "10");
}

TEST_CASE("every listed key takes a value, and no other key does") {
  for (const std::string_view key : limit_keys()) {
    CAPTURE(key);
    const std::string_view value = key == "oom" ? "process" : key == "cpu-quota" ? "50%" : "100";
    CHECK_EQ(refusal(key, value), "accepted");
  }
  CHECK_EQ(refusal("memory_max", "8G"), "unknown limit 'memory_max'");
}

TEST_CASE("a limit that would stop the session at once is refused with the reason") {
  CHECK_EQ(refusal("memory-max", "0"),
           "'memory-max' must not be 0: the kernel would kill every process of the session at once");
  CHECK_EQ(refusal("memory-max", "0%"), refusal("memory-max", "0G"));
  CHECK_EQ(refusal("tasks-max", "0"), "'tasks-max' must not be 0: the session could not start a single process");
  CHECK_EQ(refusal("cpu-quota", "0%"), "'cpu-quota' must not be 0: no process of the session would ever run");
  CHECK_EQ(refusal("swap-max", "0"), "accepted");
}

TEST_CASE("a quota finer than the kernel's is refused") {
  CHECK_EQ(refusal("cpu-quota", "0.5%"), "'cpu-quota' must be at least 1%, the least that the kernel can enforce");
  CHECK_EQ(refusal("cpu-quota", "1%"), "accepted");
}

TEST_CASE("weights go from 1 to 10000") {
  for (const char* text : {"0", "10001", "infinity", "-1", "50%", ""}) {
    CAPTURE(text);
    CHECK_EQ(refusal("cpu-weight", text), "'cpu-weight' must be a whole number from 1 to 10000");
    CHECK_EQ(refusal("io-weight", text), "'io-weight' must be a whole number from 1 to 10000");
  }
  CHECK_EQ(refusal("io-weight", "10000"), "accepted");
}

TEST_SUITE_END();

}  // namespace agentctl::policy
