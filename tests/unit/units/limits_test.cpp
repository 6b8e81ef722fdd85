// SPDX-License-Identifier: Apache-2.0
#include "units/limits.h"

#include <doctest/doctest.h>

#include "base/quantity.h"

namespace agentctl::units {
namespace {

ScopeLimits some_limits() {
  ScopeLimits limits;
  limits.memory_max = 64U << 20;
  limits.memory_swap_max = 0;
  limits.cpu_quota_per_sec_usec = 1'500'000;
  limits.cpu_weight = 50;
  limits.tasks_max = 77;
  return limits;
}

EffectiveLimits as_asked() {
  EffectiveLimits limits;
  limits.memory_max = 64U << 20;
  limits.memory_swap_max = 0;
  limits.cpu_quota_per_sec_usec = 1'500'000;
  limits.cpu_weight = 50;
  limits.tasks_max = 77;
  return limits;
}

// The one difference that there must be.
LimitDifference only_difference(const ScopeLimits& asked, const EffectiveLimits& found, int version) {
  const auto differences = compare_limits(asked, found, version);
  REQUIRE(differences.size() == 1);
  return differences[0];
}

}  // namespace

TEST_SUITE_BEGIN("limits");

TEST_CASE("limits found as asked for are no difference, on either version") {
  CHECK(compare_limits(some_limits(), as_asked(), 2).empty());
  CHECK(compare_limits(some_limits(), as_asked(), 1).empty());
}

TEST_CASE("memory rounded down to a page is as asked, a page less is not") {
  ScopeLimits asked = some_limits();
  asked.memory_max = (64U << 20) + 100;
  CHECK(compare_limits(asked, as_asked(), 2).empty());
  EffectiveLimits found = as_asked();
  found.memory_max = (64U << 20) - 65536;
  CHECK(only_difference(asked, found, 2).knob == "memory-max");
}

TEST_CASE("a quota that lost less than its grain is as asked, a higher or lower one is not") {
  ScopeLimits asked = some_limits();
  asked.cpu_quota_per_sec_usec = 1'234'567;
  EffectiveLimits found = as_asked();
  found.cpu_quota_per_sec_usec = 1'234'560;
  CHECK(compare_limits(asked, found, 2).empty());
  found.cpu_quota_per_sec_usec = 1'234'550;
  CHECK(only_difference(asked, found, 2).file == "cpu.max");
  found.cpu_quota_per_sec_usec = 1'234'568;
  CHECK(only_difference(asked, found, 2).knob == "cpu-quota");
}

TEST_CASE("a controller that is not delegated is named with what to do") {
  EffectiveLimits found = as_asked();
  found.cpu_quota_per_sec_usec.reset();
  const LimitDifference difference = only_difference(some_limits(), found, 2);
  CHECK(difference.found == "absent");
  CHECK(difference.asked == "150%");
  CHECK(difference.reason == "the cpu controller is not delegated to the service manager");
  CHECK(difference.remedy.find("user@.service.d/delegate.conf") != std::string::npos);
  CHECK(difference.remedy.find("Delegate=cpu io memory pids") != std::string::npos);
}

TEST_CASE("a drop-in that lifts a limit is named with where to look") {
  EffectiveLimits found = as_asked();
  found.memory_max = kInfinity;
  const LimitDifference difference = only_difference(some_limits(), found, 2);
  CHECK(difference.knob == "memory-max");
  CHECK(difference.file == "memory.max");
  CHECK(difference.asked == "64.0M");
  CHECK(difference.found == "infinity");
  CHECK(difference.remedy.find("~/.config/systemd/user/app-agentctl-.scope.d") != std::string::npos);
}

TEST_CASE("what was not asked for may be absent, and must not be lower") {
  ScopeLimits asked = some_limits();
  asked.tasks_max = kInfinity;
  asked.cpu_quota_per_sec_usec = kInfinity;
  EffectiveLimits found = as_asked();
  found.tasks_max.reset();
  found.cpu_quota_per_sec_usec.reset();
  CHECK(compare_limits(asked, found, 2).empty());
  found.tasks_max = 100;
  CHECK(only_difference(asked, found, 2).knob == "tasks-max");
}

TEST_CASE("memory-high and io-weight count only when asked for") {
  ScopeLimits asked = some_limits();
  asked.memory_high = 32U << 20;
  CHECK(only_difference(asked, as_asked(), 2).knob == "memory-high");
  CHECK(only_difference(asked, as_asked(), 1).reason == "cgroup v1 cannot enforce it");
  asked.memory_high.reset();
  asked.io_weight = 20;
  CHECK(only_difference(asked, as_asked(), 2).reason == "the io controller is not delegated to the service manager");
}

TEST_CASE("on v2 swap must be as asked for") {
  EffectiveLimits found = as_asked();
  found.memory_swap_max = 4096;
  CHECK(only_difference(some_limits(), found, 2).knob == "swap-max");
  found.memory_swap_max.reset();
  CHECK(only_difference(some_limits(), found, 2).knob == "swap-max");
}

TEST_CASE("on v1 less swap than asked for is accepted, more is not") {
  ScopeLimits asked = some_limits();
  asked.memory_swap_max = 1U << 30;
  CHECK(compare_limits(asked, as_asked(), 1).empty());
  EffectiveLimits found = as_asked();
  found.memory_swap_max = kInfinity;
  CHECK(only_difference(some_limits(), found, 1).reason == "systemd does not limit swap on cgroup v1");
}

TEST_CASE("every difference is told, not the first alone") {
  CHECK(compare_limits(some_limits(), EffectiveLimits{}, 2).size() == 5);
}

TEST_CASE("a file that is absent although its controller is there is the kernel's lack") {
  ScopeLimits asked = some_limits();
  asked.io_weight = 50;
  auto differences = compare_limits(asked, as_asked(), 2);
  REQUIRE(differences.size() == 1);
  blame_kernel(differences, {"cpu", "memory", "pids"});
  CHECK(differences[0].reason == "the io controller is not delegated to the service manager");
  blame_kernel(differences, {"cpu", "io", "memory", "pids"});
  CHECK(differences[0].reason == "this kernel's io controller cannot keep it");
  CHECK(differences[0].remedy.empty());
}

TEST_CASE("a session that must die as a whole needs a kernel that kills it as a whole") {
  ScopeLimits asked = some_limits();
  asked.oom_kills_all = true;
  EffectiveLimits found = as_asked();
  CHECK(only_difference(asked, found, 1).reason == "cgroup v1 cannot enforce it");
  found.oom_group = 0;
  CHECK(only_difference(asked, found, 2).found == "process");
  found.oom_group = 1;
  CHECK(compare_limits(asked, found, 2).empty());
}

TEST_SUITE_END();

}  // namespace agentctl::units
