// SPDX-License-Identifier: Apache-2.0
#include "units/scope_properties.h"

#include <algorithm>
#include <charconv>

namespace agentctl::units {
namespace {

// Between TERM and KILL, should systemd ever stop the scope by itself (logout): the agent may save its work.
constexpr std::uint64_t kTimeoutStopUsec = 5'000'000;
// "Cannot set property X, or unknown property.", systemd's words.
constexpr std::string_view kRefusal = "Cannot set property ";

}  // namespace

std::vector<ScopeProperty> limit_properties(const ScopeLimits& limits) {
  std::vector<ScopeProperty> properties = {{"MemoryMax", limits.memory_max},
                                           {"MemorySwapMax", limits.memory_swap_max},
                                           {"TasksMax", limits.tasks_max},
                                           {"CPUQuotaPerSecUSec", limits.cpu_quota_per_sec_usec},
                                           {"CPUWeight", limits.cpu_weight}};
  if (limits.memory_high) properties.push_back({"MemoryHigh", *limits.memory_high});
  if (limits.io_weight) properties.push_back({"IOWeight", *limits.io_weight});
  return properties;
}

std::vector<ScopeProperty> slice_properties(const SliceLimits& limits) {
  std::vector<ScopeProperty> properties;
  const auto add = [&](const char* name, const std::optional<std::uint64_t>& value) {
    if (value) properties.push_back({name, *value});
  };
  add("MemoryMax", limits.memory_max);
  add("MemoryHigh", limits.memory_high);
  add("MemorySwapMax", limits.memory_swap_max);
  add("CPUQuotaPerSecUSec", limits.cpu_quota_per_sec_usec);
  add("TasksMax", limits.tasks_max);
  return properties;
}

std::vector<ScopeProperty> scope_properties(const ScopeRequest& request) {
  std::vector<ScopeProperty> properties = {{"Description", request.description},
                                           {"Slice", request.slice},
                                           {"CollectMode", std::string("inactive-or-failed")},
                                           {"TimeoutStopUSec", kTimeoutStopUsec}};
  for (ScopeProperty& limit : limit_properties(request.limits)) properties.push_back(std::move(limit));
  if (!request.bound_to.empty()) {
    // What starts later is stopped first: so the supervisor ends the session in its own way, whoever stops the two.
    properties.push_back({"BindsTo", NameList{request.bound_to}});
    properties.push_back({"Before", NameList{request.bound_to}});
  }
  // Without it one process that the kernel kills for memory would take the whole session down.
  properties.push_back({"OOMPolicy", std::string(request.limits.oom_kills_all ? "kill" : "continue"), true});
  return properties;
}

int parse_manager_version(std::string_view text) {
  int version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

std::string find_refused_property(std::string_view message) {
  const std::size_t at = message.find(kRefusal);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = message.substr(at + kRefusal.size());
  return std::string(rest.substr(0, rest.find_first_of(", ")));
}

std::string drop_refused(std::vector<ScopeProperty>& properties, std::string_view message) {
  const std::string named = find_refused_property(message);
  const auto refused = std::find_if(properties.rbegin(), properties.rend(), [&](const ScopeProperty& property) {
    return property.optional && (named.empty() || property.name == named);
  });
  if (refused == properties.rend()) return {};
  std::string name = refused->name;
  properties.erase(std::next(refused).base());
  return name;
}

}  // namespace agentctl::units
