// SPDX-License-Identifier: Apache-2.0
#include "policy/limits.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "policy/limit_setting.h"

namespace agentctl::policy {
namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;
constexpr std::uint64_t kGibibyte = 1ULL << 30;

Limits resolve(std::initializer_list<std::pair<const char*, const char*>> asked, MachineSize machine) {
  LimitSettings settings;
  for (const auto& [key, text] : asked) REQUIRE(assign_limit(settings, key, text, {}));
  return resolve_limits(settings, machine);
}

}  // namespace

TEST_SUITE_BEGIN("limits");

TEST_CASE("a policy that says nothing gets the documented limits") {
  const Limits limits = resolve({}, {16 * kGibibyte, 8});
  CHECK_EQ(limits.memory_max, 16 * kGibibyte * 6 / 10);
  CHECK_FALSE(limits.memory_high.has_value());
  CHECK_EQ(limits.memory_swap_max, 0);
  CHECK_EQ(limits.cpu_quota_per_sec_usec, 7'000'000);
  CHECK_EQ(limits.cpu_weight, 50);
  CHECK_EQ(limits.tasks_max, 4096);
  CHECK_FALSE(limits.io_weight.has_value());
  CHECK_EQ(limits.runtime_max_usec, kInfinity);
  CHECK(limits.oom == OomMode::process);
}

TEST_CASE("a small machine keeps two gibibytes for itself") {
  CHECK_EQ(resolve({}, {4 * kGibibyte, 2}).memory_max, 2 * kGibibyte);
  CHECK_EQ(resolve({}, {3 * kGibibyte, 2}).memory_max, kGibibyte);
}

TEST_CASE("a tiny machine still leaves a session 64 mebibytes") {
  CHECK_EQ(resolve({}, {kGibibyte, 1}).memory_max, 64 * kMebibyte);
  CHECK_EQ(resolve({}, {0, 1}).memory_max, 64 * kMebibyte);
}

TEST_CASE("one CPU is given whole") {
  CHECK_EQ(resolve({}, {4 * kGibibyte, 1}).cpu_quota_per_sec_usec, 1'000'000);
  CHECK_EQ(resolve({}, {4 * kGibibyte, 2}).cpu_quota_per_sec_usec, 1'000'000);
}

TEST_CASE("what the policy says is what is asked for") {
  const Limits limits = resolve({{"memory-max", "50%"},
                                 {"memory-high", "1G"},
                                 {"swap-max", "512M"},
                                 {"cpu-quota", "12.5%"},
                                 {"cpu-weight", "200"},
                                 {"tasks-max", "100"},
                                 {"io-weight", "10"},
                                 {"runtime-max", "1h 30min"},
                                 {"oom", "session"}},
                                {8 * kGibibyte, 4});
  CHECK_EQ(limits.memory_max, 4 * kGibibyte);
  CHECK_EQ(limits.memory_high, kGibibyte);
  CHECK_EQ(limits.memory_swap_max, 512 * kMebibyte);
  CHECK_EQ(limits.cpu_quota_per_sec_usec, 125'000);
  CHECK_EQ(limits.cpu_weight, 200);
  CHECK_EQ(limits.tasks_max, 100);
  CHECK_EQ(limits.io_weight, 10);
  CHECK_EQ(limits.runtime_max_usec, 5'400'000'000);
  CHECK(limits.oom == OomMode::session);
}

TEST_CASE("infinity lifts a limit") {
  const Limits limits = resolve(
      {{"memory-max", "infinity"}, {"swap-max", "infinity"}, {"cpu-quota", "infinity"}, {"tasks-max", "infinity"}},
      {8 * kGibibyte, 4});
  CHECK_EQ(limits.memory_max, kInfinity);
  CHECK_EQ(limits.memory_swap_max, kInfinity);
  CHECK_EQ(limits.cpu_quota_per_sec_usec, kInfinity);
  CHECK_EQ(limits.tasks_max, kInfinity);
}

TEST_SUITE_END();

}  // namespace agentctl::policy
