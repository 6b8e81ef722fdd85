// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_change.h"

#include <algorithm>
#include <charconv>

#include "base/quantity.h"
#include "base/text.h"
#include "policy/limit_setting.h"
#include "policy/nearest_name.h"
#include "policy/policy_check.h"

namespace agentctl::manager {
namespace {

struct Field {
  std::string_view name;
  std::optional<std::uint64_t> LimitChange::*value;
};
constexpr Field kFields[] = {
    {"memory-max", &LimitChange::memory_max}, {"memory-high", &LimitChange::memory_high},
    {"swap-max", &LimitChange::swap_max},     {"cpu-quota", &LimitChange::cpu_quota_per_sec_usec},
    {"cpu-weight", &LimitChange::cpu_weight}, {"tasks-max", &LimitChange::tasks_max},
    {"io-weight", &LimitChange::io_weight},   {"runtime-max", &LimitChange::runtime_max_usec},
};

const Field* find_field(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const Field& field) { return field.name == name; });
  return found == std::end(kFields) ? nullptr : found;
}

Result<void> read_word(std::string_view word, policy::LimitSettings& settings, std::vector<std::string_view>& read) {
  const auto refuse = [](std::string message) { return make_error(ErrorKind::usage, std::move(message)); };
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (name == "oom") return refuse("'oom' cannot be changed: it is fixed when a session starts");
  if (find_field(name) == nullptr) {
    return refuse(cat("unknown limit '", printable(name), "'", policy::did_you_mean(name, policy::limit_keys())));
  }
  if (equals == std::string_view::npos) return refuse(cat("'", name, "' needs a value, as in ", name, "=VALUE"));
  if (std::find(read.begin(), read.end(), name) != read.end()) return refuse(cat("'", name, "' is given twice"));
  read.push_back(name);
  return policy::assign_limit(settings, name, word.substr(equals + 1), {cat("'", name, "'"), 0, 0});
}

LimitChange chosen(const policy::LimitSettings& settings, const policy::Limits& limits) {
  LimitChange change;
  if (settings.memory_max) change.memory_max = limits.memory_max;
  if (settings.memory_high) change.memory_high = limits.memory_high;
  if (settings.swap_max) change.swap_max = limits.memory_swap_max;
  if (settings.cpu_quota) change.cpu_quota_per_sec_usec = limits.cpu_quota_per_sec_usec;
  if (settings.cpu_weight) change.cpu_weight = limits.cpu_weight;
  if (settings.tasks_max) change.tasks_max = limits.tasks_max;
  if (settings.io_weight) change.io_weight = limits.io_weight;
  if (settings.runtime_max) change.runtime_max_usec = limits.runtime_max_usec;
  return change;
}

}  // namespace

bool LimitChange::concerns_scope() const {
  LimitChange rest = *this;
  rest.runtime_max_usec.reset();
  return rest != LimitChange();
}

Result<LimitChange> read_limit_change(const std::vector<std::string>& words, const policy::MachineSize& machine) {
  policy::Policy policy;
  std::vector<std::string_view> read;
  std::vector<std::string> mistakes;
  for (const std::string& word : words) {
    if (const auto sound = read_word(word, policy.limits, read); !sound) mistakes.push_back(sound.error().message);
  }
  for (const policy::Diagnostic& mistake : policy::check(policy)) mistakes.push_back(mistake.message);
  if (!mistakes.empty()) return make_error(ErrorKind::usage, join(mistakes, "; "));
  return chosen(policy.limits, policy::resolve_limits(policy.limits, machine));
}

units::ScopeLimits with_change(units::ScopeLimits limits, const LimitChange& change) {
  limits.memory_max = change.memory_max.value_or(limits.memory_max);
  if (change.memory_high) limits.memory_high = change.memory_high;
  limits.memory_swap_max = change.swap_max.value_or(limits.memory_swap_max);
  limits.cpu_quota_per_sec_usec = change.cpu_quota_per_sec_usec.value_or(limits.cpu_quota_per_sec_usec);
  limits.cpu_weight = change.cpu_weight.value_or(limits.cpu_weight);
  limits.tasks_max = change.tasks_max.value_or(limits.tasks_max);
  if (change.io_weight) limits.io_weight = change.io_weight;
  return limits;
}

// An infinite weight is systemd's word for "not set".
units::ScopeLimits without_change(units::ScopeLimits before, const LimitChange& change) {
  if (change.memory_high && !before.memory_high) before.memory_high = kInfinity;
  if (change.io_weight && !before.io_weight) before.io_weight = kInfinity;
  return before;
}

std::vector<std::string> to_words(const LimitChange& change) {
  std::vector<std::string> words;
  for (const Field& field : kFields) {
    if (const auto& value = change.*field.value) words.push_back(cat(field.name, "=", *value));
  }
  return words;
}

std::optional<LimitChange> parse_words(const std::vector<std::string_view>& words) {
  LimitChange change;
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    const Field* field = find_field(word.substr(0, equals));
    if (equals == std::string_view::npos || field == nullptr || change.*field->value) return std::nullopt;
    std::uint64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto parsed = std::from_chars(word.data() + equals + 1, end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
    change.*field->value = value;
  }
  return words.empty() ? std::nullopt : std::optional(change);
}

}  // namespace agentctl::manager
