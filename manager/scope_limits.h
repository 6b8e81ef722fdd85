// SPDX-License-Identifier: Apache-2.0
// The policy's limits in the words of the scope. Pure.
#pragma once

#include "policy/limits.h"
#include "units/limits.h"

namespace agentctl::manager {

[[nodiscard]] inline units::ScopeLimits to_scope_limits(const policy::Limits& limits) {
  return {.memory_max = limits.memory_max,
          .memory_high = limits.memory_high,
          .memory_swap_max = limits.memory_swap_max,
          .cpu_quota_per_sec_usec = limits.cpu_quota_per_sec_usec,
          .cpu_weight = limits.cpu_weight,
          .tasks_max = limits.tasks_max,
          .io_weight = limits.io_weight,
          .oom_kills_all = limits.oom == policy::OomMode::session};
}

}  // namespace agentctl::manager
