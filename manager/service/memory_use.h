// SPDX-License-Identifier: Apache-2.0
// How much of a session's memory the kernel cannot take back at once, against the limit. What is in use altogether says
// little: a build fills all of its limit with cached files, which make way. Pure. Source: kernel cgroup-v2.rst,
// memory.stat.
#pragma once

#include <cstdint>
#include <string_view>

namespace agentctl::manager::service {

struct MemoryUse {
  std::uint64_t held = 0;  // bytes
  std::uint64_t max = 0;
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

// `current` and `max` of memory.current and memory.max, `stat` the text of memory.stat.
[[nodiscard]] MemoryUse memory_use(std::uint64_t current, std::uint64_t max, std::string_view stat);

[[nodiscard]] bool is_near_limit(const MemoryUse& use);      // nine tenths of it and more
[[nodiscard]] bool is_far_from_limit(const MemoryUse& use);  // less than three quarters

}  // namespace agentctl::manager::service
