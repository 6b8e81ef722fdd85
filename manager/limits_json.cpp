// SPDX-License-Identifier: Apache-2.0
#include "manager/limits_json.h"

#include "base/json.h"
#include "base/quantity.h"

namespace agentctl::manager {

std::string asked_limits_json(const Record& record) {
  const units::ScopeLimits& limits = record.limits;
  const auto asked = [&](std::uint64_t value) {
    return record.unlimited ? std::optional<std::uint64_t>() : std::optional<std::uint64_t>(value);
  };
  return JsonObject()
      .limit("memory-max", asked(limits.memory_max))
      .limit("memory-high", limits.memory_high)
      .limit("swap-max", asked(limits.memory_swap_max))
      .limit("cpu-quota", asked(limits.cpu_quota_per_sec_usec))
      .limit("cpu-weight", asked(limits.cpu_weight))
      .limit("tasks-max", asked(limits.tasks_max))
      .limit("io-weight", limits.io_weight)
      .limit("runtime-max", record.runtime_max_usec)
      .text("oom", limits.oom_kills_all ? "session" : "process")
      .str();
}

std::string effective_limits_json(const Record& record, const units::EffectiveLimits& effective) {
  return JsonObject()
      .limit("memory-max", effective.memory_max)
      .limit("memory-high", effective.memory_high)
      .limit("swap-max", effective.memory_swap_max)
      .limit("cpu-quota", effective.cpu_quota_per_sec_usec)
      .limit("cpu-weight", effective.cpu_weight)
      .limit("tasks-max", effective.tasks_max)
      .limit("io-weight", effective.io_weight)
      .limit("runtime-max", record.runtime_max_usec)  // kept by the supervisor's own timer
      .str();
}

std::string usage_json(const units::CgroupUsage& usage) {
  const std::string io = JsonObject()
                             .optional_number("read_bytes", usage.io_read_bytes)
                             .optional_number("write_bytes", usage.io_write_bytes)
                             .str();
  return JsonObject()
      .optional_number("memory", usage.memory)
      .optional_number("memory_peak", usage.memory_peak)
      .optional_number("cpu_usec", usage.cpu_usec)
      .optional_number("throttled_usec", usage.throttled_usec)
      .optional_number("tasks", usage.tasks)
      .optional_number("tasks_peak", usage.tasks_peak)
      .raw("io", io)
      .number("oom_kills", usage.oom_kills)
      .number("tasks_max_hits", usage.tasks_max_hits)
      .str();
}

}  // namespace agentctl::manager
