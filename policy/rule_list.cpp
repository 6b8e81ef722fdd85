// SPDX-License-Identifier: Apache-2.0
#include "policy/rule_list.h"

#include <array>
#include <optional>

#include "base/quantity.h"
#include "base/text.h"
#include "policy/budget.h"
#include "policy/choice.h"
#include "policy/env_name.h"
#include "policy/file_lists.h"

namespace agentctl::policy {
namespace {

constexpr const char* kDefault = "built-in default";

std::string_view word(HomeMode mode) {
  switch (mode) {
    case HomeMode::private_home:
      return "private";
    case HomeMode::persistent:
      return "persistent";
    case HomeMode::read_only:
      return "read-only";
  }
  return "private";
}

class Lister {
 public:
  explicit Lister(std::vector<Rule>& rules) : rules_(rules) {}

  void add(const char* table, std::string_view key, std::string value, const Origin& origin) {
    rules_.push_back({table, std::string(key), std::move(value), origin});
  }

  void add_limit(const char* key, const std::optional<Setting<std::string>>& setting, std::string otherwise) {
    add("limits", key, setting ? setting->value : std::move(otherwise), setting ? setting->origin : Origin{kDefault});
  }

  void add_limits(const LimitSettings& settings, const MachineSize& machine) {
    const Limits limits = resolve_limits(settings, machine);
    add_limit("memory-max", settings.memory_max, format_size(limits.memory_max));
    add_limit("memory-high", settings.memory_high, "infinity");
    add_limit("swap-max", settings.swap_max, format_size(limits.memory_swap_max));
    add_limit("cpu-quota", settings.cpu_quota, format_cpu_quota(limits.cpu_quota_per_sec_usec));
    add_limit("cpu-weight", settings.cpu_weight, format_count(limits.cpu_weight));
    add_limit("tasks-max", settings.tasks_max, format_count(limits.tasks_max));
    if (settings.io_weight) add_limit("io-weight", settings.io_weight, {});
    add_limit("runtime-max", settings.runtime_max, format_duration(limits.runtime_max_usec));
    add("limits", "oom", limits.oom == OomMode::session ? "session" : "process",
        settings.oom ? settings.oom->origin : Origin{kDefault});
  }

  void add_budget(const LimitSettings& settings, const MachineSize& machine) {
    const auto add_set = [this](const char* key, const std::optional<Setting<std::string>>& setting) {
      if (setting) add("budget", key, setting->value, setting->origin);
    };
    const std::uint64_t memory_max = resolve_budget(settings, machine).memory_max;
    if (!settings.memory_max) add("budget", "memory-max", format_size(memory_max), Origin{kDefault});
    add_set("memory-max", settings.memory_max);
    add_set("memory-high", settings.memory_high);
    add_set("swap-max", settings.swap_max);
    add_set("cpu-quota", settings.cpu_quota);
    add_set("tasks-max", settings.tasks_max);
  }

  void add_files(const FileSettings& files) {
    add("files", "home", std::string(word(home_mode(files))), files.home ? files.home->origin : Origin{kDefault});
    for (const FileList& list : kFileLists) {
      for (const Entry& entry : files.*list.entries) add("files", list.name, entry.text, entry.origin);
      for (const Removal& removal : files.removals) {
        if (removal.list == list.name) add("files", list.name, cat("!", removal.entry.text), removal.entry.origin);
      }
    }
  }

  void add_env(const EnvSettings& env) {
    for (const Entry& entry : env.pass) add("env", "pass", entry.text, entry.origin);
    for (const auto& [name, setting] : env.set) {
      add("env", "set", is_secret_name(name) ? name : cat(name, "=", setting.value), setting.origin);
    }
  }

 private:
  std::vector<Rule>& rules_;
};

}  // namespace

std::vector<Rule> list_rules(const Policy& policy, const MachineSize& machine) {
  std::vector<Rule> rules;
  Lister lister(rules);
  if (policy.command) lister.add("agent", "command", shell_quote(policy.command->value), policy.command->origin);
  lister.add_limits(policy.limits, machine);
  lister.add_budget(policy.budget, machine);
  lister.add_files(policy.files);
  lister.add_env(policy.env);
  lister.add("network", "mode", std::string(to_string(network_mode(policy))),
             policy.network ? policy.network->origin : Origin{kDefault});
  for (const Entry& entry : policy.hosts.allow) lister.add("network", "allow", entry.text, entry.origin);
  for (const Entry& entry : policy.hosts.commands) lister.add("network.commands", "allow", entry.text, entry.origin);
  for (const Entry& entry : policy.hosts.deny) lister.add("network", "deny", entry.text, entry.origin);
  for (const Entry& entry : policy.hosts.host_ports) lister.add("network", "host-ports", entry.text, entry.origin);
  for (const Entry& entry : policy.hosts.publish) lister.add("network", "publish", entry.text, entry.origin);
  for (const Entry& entry : policy.allow.sockets) lister.add("allow", "sockets", entry.text, entry.origin);
  for (const Entry& entry : policy.allow.devices) lister.add("allow", "devices", entry.text, entry.origin);
  if (const auto& nested = policy.allow.nested) {
    lister.add("allow", "nested", nested->value ? "true" : "false", nested->origin);
  }
  const auto& filter = policy.terminal.filter;
  lister.add("terminal", "filter", !filter || filter->value ? "true" : "false",
             filter ? filter->origin : Origin{kDefault});
  return rules;
}

}  // namespace agentctl::policy
