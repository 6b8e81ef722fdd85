// SPDX-License-Identifier: Apache-2.0
#include "manager/service/memory_use.h"

#include "base/quantity.h"
#include "units/cgroup_file.h"

namespace agentctl::manager::service {

MemoryUse memory_use(std::uint64_t current, std::uint64_t max, std::string_view stat) {
  MemoryUse use{current, max};
  for (const std::string_view reclaimable : {"active_file", "inactive_file", "slab_reclaimable"}) {
    const std::uint64_t bytes = units::find_value(stat, reclaimable).value_or(0);
    use.held -= bytes < use.held ? bytes : use.held;
  }
  return use;
}

bool is_near_limit(const MemoryUse& use) { return use.max != kInfinity && use.held >= use.max - use.max / 10; }

bool is_far_from_limit(const MemoryUse& use) { return use.max == kInfinity || use.held < use.max - use.max / 4; }

}  // namespace agentctl::manager::service
