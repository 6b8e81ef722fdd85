// SPDX-License-Identifier: Apache-2.0
#include "policy/budget.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {
namespace {

constexpr MachineSize kMachine{16ULL << 30, 4};

Policy read(std::string_view text) {
  auto policy = load_policy_text(text, "policy.toml");
  REQUIRE_MESSAGE(policy.has_value(), policy.error().message);
  return std::move(*policy);
}

}  // namespace

TEST_SUITE_BEGIN("budget");

TEST_CASE("three quarters of the memory are the default, and nothing else is set") {
  const Budget budget = resolve_budget({}, kMachine);
  CHECK(budget.memory_max / 100 == (16ULL << 30) / 100 * 75 / 100);
  CHECK(budget.is_default);
  CHECK_FALSE(budget.memory_high);
  CHECK_FALSE(budget.memory_swap_max);
  CHECK_FALSE(budget.cpu_quota_per_sec_usec);
  CHECK_FALSE(budget.tasks_max);
}

TEST_CASE("every key is taken as in [limits]") {
  const Policy policy = read(
      "[budget]\nmemory-max = \"50%\"\nmemory-high = \"4G\"\nswap-max = \"0\"\ncpu-quota = \"300%\"\ntasks-max = "
      "9000\n");
  const Budget budget = resolve_budget(policy.budget, kMachine);
  CHECK(budget.memory_max == 8ULL << 30);
  CHECK_FALSE(budget.is_default);
  CHECK(budget.memory_high == 4ULL << 30);
  CHECK(budget.memory_swap_max == 0U);
  CHECK(budget.cpu_quota_per_sec_usec == 3'000'000U);
  CHECK(budget.tasks_max == 9000U);
  CHECK(resolve_limits(policy.limits, kMachine).tasks_max == 4096);
  CHECK(resolve_budget(read("[budget]\nmemory-max = \"infinity\"\n").budget, kMachine).memory_max == kInfinity);
}

TEST_CASE("what all sessions cannot share is no key of it") {
  for (const char* key :
       {"cpu-weight = 5", "io-weight = 5", "runtime-max = \"1h\"", "oom = \"session\"", "memory = 1"}) {
    INFO("key: ", key);
    CHECK_FALSE(load_policy_text(std::string("[budget]\n") + key + "\n", "policy.toml").has_value());
  }
}

TEST_CASE("a later layer replaces key by key") {
  std::vector<Diagnostic> mistakes;
  const Policy merged = merge(read("[budget]\nmemory-max = \"4G\"\ntasks-max = 100\n"),
                              read("[budget]\nmemory-max = \"2G\"\n"), mistakes);
  CHECK(mistakes.empty());
  CHECK(resolve_budget(merged.budget, kMachine).memory_max == 2ULL << 30);
  CHECK(resolve_budget(merged.budget, kMachine).tasks_max == 100U);
}

TEST_CASE("a budget that no session could live in is refused") {
  CHECK_FALSE(check(read("[budget]\nmemory-max = \"1M\"\n")).empty());
  CHECK_FALSE(check(read("[budget]\ntasks-max = 1\n")).empty());
  CHECK_FALSE(check(read("[budget]\nmemory-max = \"1G\"\nmemory-high = \"2G\"\n")).empty());
}

TEST_CASE("a project's file and a profile must not set it") {
  const Policy layer = read("[budget]\nmemory-max = \"1G\"\ntasks-max = 100\n");
  std::vector<Diagnostic> mistakes;
  refuse_budget(layer, "a profile", mistakes);
  REQUIRE(mistakes.size() == 2);
  CHECK(render(mistakes[0]).starts_with("policy.toml:2:14: error: a profile must not set the budget of all sessions"));
  mistakes.clear();
  const Policy narrowed = narrow({}, layer, kMachine, mistakes);
  CHECK(mistakes.size() == 2);
  CHECK_FALSE(narrowed.budget.memory_max);
}

TEST_SUITE_END();

}  // namespace agentctl::policy
