// SPDX-License-Identifier: Apache-2.0
#include "policy/budget.h"

#include <string>

#include "base/text.h"

namespace agentctl::policy {
namespace {

constexpr std::uint64_t kDefaultPercent = 75;

}  // namespace

const std::vector<std::string_view>& budget_keys() {
  static const std::vector<std::string_view> keys = {"memory-max", "memory-high", "swap-max", "cpu-quota", "tasks-max"};
  return keys;
}

Budget resolve_budget(const LimitSettings& settings, const MachineSize& machine) {
  const Limits limits = resolve_limits(settings, machine);
  Budget budget;
  budget.is_default = !settings.memory_max;
  budget.memory_max = budget.is_default ? machine.memory_bytes / 100 * kDefaultPercent : limits.memory_max;
  budget.memory_high = limits.memory_high;
  if (settings.swap_max) budget.memory_swap_max = limits.memory_swap_max;
  if (settings.cpu_quota) budget.cpu_quota_per_sec_usec = limits.cpu_quota_per_sec_usec;
  if (settings.tasks_max) budget.tasks_max = limits.tasks_max;
  return budget;
}

void refuse_budget(const Policy& layer, std::string_view whose, std::vector<Diagnostic>& mistakes) {
  const LimitSettings& budget = layer.budget;
  for (const auto* setting :
       {&budget.memory_max, &budget.memory_high, &budget.swap_max, &budget.cpu_quota, &budget.tasks_max}) {
    if (!*setting) continue;
    mistakes.push_back(
        {(*setting)->origin,
         cat(whose, " must not set the budget of all sessions: only your own ", "policy.toml and the system's may"),
         {}});
  }
}

}  // namespace agentctl::policy
