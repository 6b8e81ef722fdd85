// SPDX-License-Identifier: Apache-2.0
// Limits as the kernel holds them, in systemd's units. Sources: cgroup-v2.rst, cgroup-v1/memory.rst, sched-bwc.rst;
// systemd src/core/cgroup.c for its v1 mapping of weights.
#include "base/file.h"
#include "base/quantity.h"
#include "base/text.h"
#include "units/cgroup.h"
#include "units/cgroup_file.h"

namespace agentctl::units {
namespace {

constexpr std::uint64_t kUsecPerSec = 1'000'000;

std::optional<std::uint64_t> per_second(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *period == 0) return std::nullopt;
  return *quota == kInfinity ? kInfinity : *quota * kUsecPerSec / *period;
}

// cpu.max: "25000 100000" or "max 100000".
std::optional<std::uint64_t> read_cpu_max(const UniqueFd& dir) {
  const auto text = read_text(dir, "cpu.max");
  if (!text) return std::nullopt;
  const std::vector<std::string> words = split(trim(*text), ' ');
  if (words.size() != 2) return std::nullopt;
  return per_second(parse_number(words[0]), parse_number(words[1]));
}

std::optional<std::uint64_t> read_v1_quota(const UniqueFd& dir) {
  const auto quota = read_text(dir, "cpu.cfs_quota_us");
  if (!quota) return std::nullopt;
  if (trim(*quota) == "-1") return kInfinity;
  return per_second(parse_number(*quota), read_number(dir, "cpu.cfs_period_us"));
}

// systemd writes floor(weight x 1024 / 100) shares; rounding up gives the weight back exactly.
std::optional<std::uint64_t> read_v1_weight(const UniqueFd& dir) {
  const auto shares = read_number(dir, "cpu.shares");
  if (!shares) return std::nullopt;
  return (*shares * 100 + 1023) / 1024;
}

std::optional<std::uint64_t> read_io_weight(const UniqueFd& dir) {
  const auto text = read_text(dir, "io.weight");
  return text ? find_value(*text, "default") : std::nullopt;
}

bool machine_has_swap(const std::string& proc) {
  const auto text = read_file(cat(proc, "/meminfo"));
  if (!text) return true;
  const std::size_t at = text->find("SwapTotal:");
  if (at == std::string::npos) return false;  // a kernel without swap
  const std::string_view line = std::string_view(*text).substr(at, text->find('\n', at) - at);
  return line.find_first_of("123456789") != std::string_view::npos;
}

// v1 limits memory and swap together: what is left for swap is the difference.
std::optional<std::uint64_t> read_v1_swap(const UniqueFd& dir, std::optional<std::uint64_t> memory_max) {
  const auto together = read_number(dir, "memory.memsw.limit_in_bytes");
  if (!together || !memory_max) return std::nullopt;
  if (*together == kInfinity || *memory_max == kInfinity) return *together;
  return *together > *memory_max ? *together - *memory_max : 0;
}

}  // namespace

EffectiveLimits Cgroup::read_limits() const {
  EffectiveLimits limits;
  if (version_ == 2) {
    limits.memory_max = read_number(unified_, "memory.max");
    limits.memory_high = read_number(unified_, "memory.high");
    limits.memory_swap_max = read_number(unified_, "memory.swap.max");
    limits.cpu_quota_per_sec_usec = read_cpu_max(unified_);
    limits.cpu_weight = read_number(unified_, "cpu.weight");
    limits.tasks_max = read_number(unified_, "pids.max");
    limits.io_weight = read_io_weight(unified_);
    limits.oom_group = read_number(unified_, "memory.oom.group");
  } else {
    limits.memory_max = read_number(memory_, "memory.limit_in_bytes");
    limits.memory_swap_max = read_v1_swap(memory_, limits.memory_max);
    limits.cpu_quota_per_sec_usec = read_v1_quota(cpu_);
    limits.cpu_weight = read_v1_weight(cpu_);
    limits.tasks_max = read_number(pids_, "pids.max");
  }
  // Where there is no swap at all none can be used: the limit is 0 in effect, whatever a file says or lacks. Swap that
  // is switched on later is not covered on v1.
  const bool set_by_kernel = version_ == 2 && limits.memory_swap_max;
  if (limits.memory_max && !set_by_kernel && !machine_has_swap(roots_.proc)) limits.memory_swap_max = 0;
  return limits;
}

std::vector<std::string> Cgroup::controllers() const {
  const auto text = version_ == 2 ? read_text(unified_, "cgroup.controllers") : std::nullopt;
  return text ? split(trim(*text), ' ') : std::vector<std::string>();
}

}  // namespace agentctl::units
