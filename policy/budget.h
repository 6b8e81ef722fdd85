// SPDX-License-Identifier: Apache-2.0
// Budget: what all sessions of a user together may use, [budget]. It stands in the user's own and the system's policy
// only: a profile or a project speaks of one session. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/limits.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {

// Absent: not asked for, and the service manager's own setting stays. kInfinity (base/quantity.h) means no limit.
struct Budget {
  std::uint64_t memory_max = 0;  // bytes
  bool is_default = true;        // nobody wrote memory-max: a lower one of the service manager's stays
  std::optional<std::uint64_t> memory_high;
  std::optional<std::uint64_t> memory_swap_max;
  std::optional<std::uint64_t> cpu_quota_per_sec_usec;
  std::optional<std::uint64_t> tasks_max;
};

// "memory-max", "memory-high", "swap-max", "cpu-quota", "tasks-max": those of [limits] that can be shared.
[[nodiscard]] const std::vector<std::string_view>& budget_keys();

// memory-max is 75% of the machine's where it is not said.
[[nodiscard]] Budget resolve_budget(const LimitSettings& settings, const MachineSize& machine);

// For a layer that must not speak of it: a mistake for each key.
void refuse_budget(const Policy& layer, std::string_view whose, std::vector<Diagnostic>& mistakes);

}  // namespace agentctl::policy
