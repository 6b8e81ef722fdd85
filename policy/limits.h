// SPDX-License-Identifier: Apache-2.0
// Limits in numbers: the policy's text held against the size of this machine. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/policy.h"

namespace agentctl::policy {

struct MachineSize {
  std::uint64_t memory_bytes = 0;  // RAM
  unsigned cpus = 1;               // online
};

// kInfinity (base/quantity.h) means no limit. Absent optionals are not asked for at all.
struct Limits {
  std::uint64_t memory_max = 0;              // bytes
  std::optional<std::uint64_t> memory_high;  // bytes
  std::uint64_t memory_swap_max = 0;         // bytes
  std::uint64_t cpu_quota_per_sec_usec = 0;  // microseconds of CPU a second
  std::uint64_t cpu_weight = 0;              // 1..10000
  std::uint64_t tasks_max = 0;
  std::optional<std::uint64_t> io_weight;  // 1..10000
  std::uint64_t runtime_max_usec = 0;
  OomMode oom = OomMode::process;
};

// Defaults (DESIGN): memory-max = min(60% of RAM, RAM - 2 GiB) but at least 64 MiB, no memory-high, swap 0, cpu-quota =
// (cpus - 1) x 100% but at least 100%, cpu-weight 50, tasks 4096, runtime infinity, oom = process.
[[nodiscard]] Limits resolve_limits(const LimitSettings& settings, const MachineSize& machine);

}  // namespace agentctl::policy
