// SPDX-License-Identifier: Apache-2.0
// Limits of a scope in systemd's and the kernel's words. kInfinity (base/quantity.h) means "infinity" / "max".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agentctl::units {

struct ScopeLimits {
  std::uint64_t memory_max = 0;              // MemoryMax, bytes
  std::optional<std::uint64_t> memory_high;  // MemoryHigh, bytes; only when asked
  std::uint64_t memory_swap_max = 0;         // MemorySwapMax, bytes; always set, or the machine swaps instead
  std::uint64_t cpu_quota_per_sec_usec = 0;  // CPUQuotaPerSecUSec
  std::uint64_t cpu_weight = 0;              // CPUWeight, 1..10000
  std::uint64_t tasks_max = 0;               // TasksMax
  std::optional<std::uint64_t> io_weight;    // IOWeight; only when asked
  bool oom_kills_all = false;                // OOMPolicy=kill instead of continue
};

// Of a slice; what is absent is not set.
struct SliceLimits {
  std::optional<std::uint64_t> memory_max;              // MemoryMax, bytes
  std::optional<std::uint64_t> memory_high;             // MemoryHigh, bytes
  std::optional<std::uint64_t> memory_swap_max;         // MemorySwapMax, bytes
  std::optional<std::uint64_t> cpu_quota_per_sec_usec;  // CPUQuotaPerSecUSec
  std::optional<std::uint64_t> tasks_max;               // TasksMax
};

// What the kernel's files say. Absent: the file does not exist (the controller is not there).
struct EffectiveLimits {
  std::optional<std::uint64_t> memory_max;
  std::optional<std::uint64_t> memory_high;
  std::optional<std::uint64_t> memory_swap_max;
  std::optional<std::uint64_t> cpu_quota_per_sec_usec;
  std::optional<std::uint64_t> cpu_weight;
  std::optional<std::uint64_t> tasks_max;
  std::optional<std::uint64_t> io_weight;
  std::optional<std::uint64_t> oom_group;  // memory.oom.group: 1 where the memory limit kills all at once
};

// One knob on which the kernel differs from what was asked.
struct LimitDifference {
  std::string controller;    // "memory"
  std::string knob;          // "memory-max", as in the policy
  std::string file;          // "memory.max"
  std::string asked;         // "64.0M"
  std::string found;         // "infinity", or "absent"
  std::string reason;        // "the cpu controller is not delegated to the user manager", "a drop-in overrides it"
  std::string remedy;        // a hint that the user can follow, or empty
  bool is_stricter = false;  // the kernel keeps less than was asked for
};

// A finite limit must be present and equal (memory rounds down to a page, a CPU quota to the period's microsecond); an
// infinite one must not be lower. On cgroup v1 the weight and swap files differ in scale or may be missing: see the
// .cpp. Pure.
[[nodiscard]] std::vector<LimitDifference> compare_limits(const ScopeLimits& asked, const EffectiveLimits& found,
                                                          int cgroup_version);

// The same of a slice's.
[[nodiscard]] std::vector<LimitDifference> compare_slice_limits(const SliceLimits& asked, const EffectiveLimits& found,
                                                                int cgroup_version);

// A file that is absent although its controller is among those of the cgroup is the kernel's lack, not the manager's:
// says so instead. Pure.
void blame_kernel(std::vector<LimitDifference>& differences, const std::vector<std::string>& controllers);

}  // namespace agentctl::units
