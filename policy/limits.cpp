// SPDX-License-Identifier: Apache-2.0
#include "policy/limits.h"

#include <algorithm>

#include "base/quantity.h"

namespace agentctl::policy {
namespace {

constexpr std::uint64_t kMebibyte = 1ULL << 20;
constexpr std::uint64_t kGibibyte = 1ULL << 30;
constexpr std::uint64_t kUsecPerSec = 1'000'000;

std::uint64_t default_memory_max(std::uint64_t ram) {
  const std::uint64_t share = ram / 10 * 6 + ram % 10 * 6 / 10;
  const std::uint64_t rest = ram > 2 * kGibibyte ? ram - 2 * kGibibyte : 0;
  return std::max(std::min(share, rest), 64 * kMebibyte);
}

std::uint64_t default_cpu_quota(unsigned cpus) { return std::max(cpus, 2U) * kUsecPerSec - kUsecPerSec; }

// The reader has parsed every text once, so a failure here has no cause left; `otherwise` keeps a session closed then.
std::uint64_t value_or(const Result<std::uint64_t>& parsed, std::uint64_t otherwise) {
  return parsed ? *parsed : otherwise;
}

std::uint64_t usec_of_quota(const std::string& text, std::uint64_t otherwise) {
  if (text == "infinity") return kInfinity;
  const auto hundredths = parse_percent(text);
  return hundredths ? *hundredths * 100 : otherwise;
}

}  // namespace

Limits resolve_limits(const LimitSettings& settings, const MachineSize& machine) {
  Limits limits;
  limits.memory_max = default_memory_max(machine.memory_bytes);
  limits.cpu_quota_per_sec_usec = default_cpu_quota(machine.cpus);
  limits.cpu_weight = 50;
  limits.tasks_max = 4096;
  limits.runtime_max_usec = kInfinity;

  const std::uint64_t ram = machine.memory_bytes;
  if (settings.memory_max) {
    limits.memory_max = value_or(parse_size_or_share(settings.memory_max->value, ram), limits.memory_max);
  }
  if (settings.memory_high) {
    limits.memory_high = value_or(parse_size_or_share(settings.memory_high->value, ram), limits.memory_max);
  }
  if (settings.swap_max) limits.memory_swap_max = value_or(parse_size(settings.swap_max->value), 0);
  if (settings.cpu_quota) {
    limits.cpu_quota_per_sec_usec = usec_of_quota(settings.cpu_quota->value, limits.cpu_quota_per_sec_usec);
  }
  if (settings.cpu_weight) limits.cpu_weight = value_or(parse_count(settings.cpu_weight->value), limits.cpu_weight);
  if (settings.tasks_max) limits.tasks_max = value_or(parse_count(settings.tasks_max->value), limits.tasks_max);
  if (settings.io_weight) limits.io_weight = value_or(parse_count(settings.io_weight->value), 1);
  if (settings.runtime_max) {
    limits.runtime_max_usec = value_or(parse_duration(settings.runtime_max->value), limits.runtime_max_usec);
  }
  if (settings.oom) limits.oom = settings.oom->value;
  return limits;
}

}  // namespace agentctl::policy
