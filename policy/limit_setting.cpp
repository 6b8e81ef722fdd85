// SPDX-License-Identifier: Apache-2.0
#include "policy/limit_setting.h"

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::policy {
namespace {

using Check = Result<void> (*)(std::string_view text);

Error refuse(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

// The parsers speak of the text alone, and here the key stands in front: "'memory-max' cannot be used: '8X' is not …".
Result<void> only_parses(const Result<std::uint64_t>& parsed) {
  if (parsed) return {};
  return refuse(cat("has no usable value: ", parsed.error().message));
}

Result<void> check_memory(std::string_view text) {
  const auto bytes = parse_size_or_share(text, kInfinity - 1);
  AGENTCTL_TRY_VOID(only_parses(bytes));
  if (*bytes == 0) return refuse("must not be 0: the kernel would kill every process of the session at once");
  return {};
}

Result<void> check_swap(std::string_view text) {
  if (text.ends_with('%'))
    return refuse("must be a size such as \"1G\", \"0\" or \"infinity\": a share is not known here");
  return only_parses(parse_size(text));
}

Result<void> check_cpu_quota(std::string_view text) {
  if (text == "infinity") return {};
  const auto hundredths = parse_percent(text);
  AGENTCTL_TRY_VOID(only_parses(hundredths));
  if (*hundredths == 0) return refuse("must not be 0: no process of the session would ever run");
  // The kernel's floor is 1 ms in a period of 100 ms (min_cfs_quota_period, kernel/sched/core.c).
  if (*hundredths < 100) return refuse("must be at least 1%, the least that the kernel can enforce");
  if (*hundredths > 100'000'000) return refuse("must be at most 1000000%, or \"infinity\"");
  return {};
}

// cpu.weight and io.weight of the kernel's cgroup-v2 documentation.
Result<void> check_weight(std::string_view text) {
  const auto weight = parse_count(text);
  if (!weight || *weight < 1 || *weight > 10'000) return refuse("must be a whole number from 1 to 10000");
  return {};
}

Result<void> check_tasks(std::string_view text) {
  const auto tasks = parse_count(text);
  AGENTCTL_TRY_VOID(only_parses(tasks));
  if (*tasks == 0) return refuse("must not be 0: the session could not start a single process");
  // PID_MAX_LIMIT, include/linux/threads.h.
  if (*tasks != kInfinity && *tasks > 4'194'304) return refuse("must be at most 4194304, or \"infinity\"");
  return {};
}

Result<void> check_runtime(std::string_view text) {
  const auto usec = parse_duration(text);
  AGENTCTL_TRY_VOID(only_parses(usec));
  if (*usec == 0)
    return refuse("must not be 0: the session would end before it starts; write \"infinity\" for no limit");
  return {};
}

struct LimitKey {
  std::string_view name;
  std::optional<Setting<std::string>> LimitSettings::*field;
  Check check;
};

constexpr LimitKey kLimits[] = {
    {"memory-max", &LimitSettings::memory_max, check_memory},
    {"memory-high", &LimitSettings::memory_high, check_memory},
    {"swap-max", &LimitSettings::swap_max, check_swap},
    {"cpu-quota", &LimitSettings::cpu_quota, check_cpu_quota},
    {"cpu-weight", &LimitSettings::cpu_weight, check_weight},
    {"tasks-max", &LimitSettings::tasks_max, check_tasks},
    {"io-weight", &LimitSettings::io_weight, check_weight},
    {"runtime-max", &LimitSettings::runtime_max, check_runtime},
};

}  // namespace

const std::vector<std::string_view>& limit_keys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> names;
    for (const LimitKey& limit : kLimits) names.push_back(limit.name);
    names.emplace_back("oom");
    return names;
  }();
  return keys;
}

Result<void> assign_limit(LimitSettings& limits, std::string_view key, std::string_view text, const Origin& origin) {
  if (key == "oom") {
    if (text != "process" && text != "session") return refuse("'oom' must be \"process\" or \"session\"");
    limits.oom = Setting<OomMode>{text == "session" ? OomMode::session : OomMode::process, origin};
    return {};
  }
  for (const LimitKey& limit : kLimits) {
    if (limit.name != key) continue;
    if (auto checked = limit.check(text); !checked) return refuse(cat("'", key, "' ", checked.error().message));
    limits.*limit.field = Setting<std::string>{std::string(text), origin};
    return {};
  }
  return refuse(cat("unknown limit '", printable(key), "'"));
}

}  // namespace agentctl::policy
