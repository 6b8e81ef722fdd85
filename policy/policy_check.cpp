// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_check.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_map>

#include "base/quantity.h"
#include "base/text.h"
#include "policy/entry.h"
#include "policy/file_lists.h"
#include "policy/host_list.h"
#include "policy/host_rule.h"
#include "policy/opening_name.h"
#include "policy/publication.h"

namespace agentctl::policy {
namespace {

constexpr std::uint64_t kLeastMemory = 16ULL << 20;
// bwrap twice, our anchor, the stage that becomes the agent, and a few for what the agent starts.
constexpr std::uint64_t kLeastTasks = 8;

// Nobody may write these or anything above them: what the host runs, and our own files.
constexpr std::array<std::string_view, 12> kNeverWritable = {"~/.config/agentctl",
                                                             "~/.local/state/agentctl",
                                                             "/etc/agentctl",
                                                             "/usr",
                                                             "/bin",
                                                             "/sbin",
                                                             "/lib",
                                                             "/lib64",
                                                             "/boot",
                                                             "/home",
                                                             "/root",
                                                             "/var/lib"};
// Nothing at or below these comes in: a socket there commands the host, and bwrap makes the others anew.
constexpr std::array<std::string_view, 7> kNeverInside = {"/run/user", "/run/dbus", "/run/systemd", "/var/run",
                                                          "/proc",     "/sys",      "/dev"};
constexpr std::string_view kNameService = "/run/systemd/resolve";

class Checker {
 public:
  std::vector<Diagnostic> check(const Policy& policy) {
    if (policy.command && (policy.command->value.empty() || policy.command->value[0].empty())) {
      refuse(policy.command->origin, "'command' must name a program, as in [\"claude\"]");
    }
    check_limits(policy.limits);
    check_limits(policy.budget);
    index(policy.files);
    for (const FileList& list : kFileLists) {
      for (const Entry& entry : policy.files.*list.entries) check_entry(list, entry);
    }
    check_env(policy.env);
    check_names(policy.allow.sockets, "sockets", check_socket_name);
    check_names(policy.allow.devices, "devices", check_device_name);
    check_names(policy.hosts.allow, "allow", check_allow_entry);
    check_names(policy.hosts.commands, "allow", check_allow_entry);
    check_names(policy.hosts.deny, "deny", check_deny_entry);
    check_hosts(policy.hosts);
    check_names(policy.hosts.host_ports, "host-ports", check_port_entry);
    check_names(policy.hosts.publish, "publish", check_publish_entry);
    check_host_ports(policy);
    return std::move(mistakes_);
  }

 private:
  void refuse(const Origin& origin, std::string message) { mistakes_.push_back({origin, std::move(message), {}}); }

  void check_limits(const LimitSettings& limits) {
    if (const auto& memory = limits.memory_max; memory && !memory->value.ends_with('%')) {
      const auto bytes = parse_size(memory->value);
      if (bytes && *bytes < kLeastMemory) {
        refuse(memory->origin,
               cat("'memory-max' must be at least ", format_size(kLeastMemory), "; got ", memory->value));
      }
    }
    if (const auto& tasks = limits.tasks_max) {
      const auto count = parse_count(tasks->value);
      if (count && *count < kLeastTasks) {
        refuse(tasks->origin, cat("'tasks-max' must be at least ", kLeastTasks, "; got ", tasks->value,
                                  ": the sandbox itself needs some"));
      }
    }
    check_memory_high(limits);
  }

  // Two sizes or two shares can be compared without knowing the machine.
  void check_memory_high(const LimitSettings& limits) {
    if (!limits.memory_high || !limits.memory_max) return;
    const std::string& high = limits.memory_high->value;
    const std::string& max = limits.memory_max->value;
    if (high == "infinity" || high.ends_with('%') != max.ends_with('%')) return;
    const auto high_value = parse_size_or_share(high, 1ULL << 60);
    const auto max_value = parse_size_or_share(max, 1ULL << 60);
    if (high_value && max_value && *high_value > *max_value) {
      refuse(limits.memory_high->origin, cat("'memory-high' (", high, ") must not be above 'memory-max' (", max, ")"));
    }
  }

  void index(const FileSettings& files) {
    for (const FileList& list : kFileLists) {
      for (const Entry& entry : files.*list.entries) named_.emplace(normal_path(entry.text), Named{&list, &entry});
    }
  }

  static std::string show(const FileList& list, const Entry& entry) {
    return cat("'", printable(entry.text), "' in '", list.name, "' ");
  }

  void check_entry(const FileList& list, const Entry& entry) {
    if (is_removal(entry.text)) return refuse(entry.origin, cat(show(list, entry), "takes nothing out"));
    const Globs globs = list.has_globs ? Globs::allowed : Globs::refused;
    if (auto checked = check_path_entry(entry.text, globs); !checked) {
      return refuse(entry.origin, cat(show(list, entry), checked.error().message));
    }
    if (list.entries == &FileSettings::optional) return check_optional(entry);
    if (list.is_grant) check_grant(list, entry, normal_path(entry.text));
  }

  void check_grant(const FileList& list, const Entry& entry, const std::string& path) {
    const std::string shown = show(list, entry);
    if (path == "/" || path == "~" || path == "~/.." || path == "/run") {
      const std::string_view what = path == "~" ? "your whole home, secrets too" : "far more than a project needs";
      return refuse(entry.origin, cat(shown, "would bring in ", what, ": name what is needed"));
    }
    for (const std::string_view never : kNeverInside) {
      if (!starts_with_path(path, never) || starts_with_path(path, kNameService)) continue;
      return refuse(entry.origin, cat(shown, "must not come in: the host is commanded through '", never, "'"));
    }
    if (list.entries == &FileSettings::read_write) {
      for (const std::string_view never : kNeverWritable) {
        if (!starts_with_path(never, path)) continue;
        const std::string_view relation =
            path == never ? "must not be writable" : "must not be writable, for it holds ";
        return refuse(entry.origin, path == never ? cat(shown, relation) : cat(shown, relation, "'", never, "'"));
      }
    }
    for (const FileList& other : kFileLists) {
      const bool is_later = other.is_grant && &other > &list;
      if (!is_later && other.entries != &FileSettings::hide) continue;
      const auto [first, last] = named_.equal_range(path);
      for (auto named = first; named != last; ++named) {
        const Entry& twin = *named->second.entry;
        const bool is_same_layer = other.is_grant || twin.origin.source == entry.origin.source;
        if (named->second.list != &other || !is_same_layer) continue;
        refuse(twin.origin,
               cat("'", printable(twin.text), "' must not stand in both '", list.name, "' and '", other.name, "'"));
      }
    }
  }

  void check_optional(const Entry& entry) {
    const auto [first, last] = named_.equal_range(normal_path(entry.text));
    const bool is_named = std::any_of(
        first, last, [](const auto& named) { return named.second.list->entries != &FileSettings::optional; });
    if (is_named) return;
    refuse(entry.origin, cat("'", printable(entry.text), "' in 'optional' must also stand in another list of [files]"));
  }

  void check_env(const EnvSettings& env) {
    for (const Entry& entry : env.pass) {
      const std::string shown = cat("'", printable(entry.text), "' in 'pass' ");
      if (is_removal(entry.text)) {
        refuse(entry.origin, cat(shown, "takes nothing out"));
      } else if (auto checked = check_pass_entry(entry.text); !checked) {
        refuse(entry.origin, cat(shown, checked.error().message));
      } else if (env.set.contains(entry.text)) {
        refuse(entry.origin, cat("'", entry.text, "' must not stand in both 'pass' and 'set'"));
      }
    }
    for (const auto& [name, value] : env.set) {
      if (auto checked = check_env_value(name, value.value); !checked) {
        refuse(value.origin, cat("'", printable(name), "' in 'set' ", checked.error().message));
      }
    }
  }

  template <typename Check>
  void check_names(const Entries& names, std::string_view list, Check check_name) {
    for (const Entry& entry : names) {
      const std::string shown = cat("'", printable(entry.text), "' in '", list, "' ");
      if (is_removal(entry.text)) {
        refuse(entry.origin, cat(shown, "takes nothing out"));
      } else if (auto checked = check_name(entry.text); !checked) {
        refuse(entry.origin, cat(shown, checked.error().message));
      }
    }
  }

  // Where different layers say both, the denial counts.
  void check_hosts(const HostSettings& hosts) {
    const Entries reached = all_allowed(hosts);
    for (const Entry& entry : hosts.deny) {
      const Entry* allowed = find_host(reached, entry.text);
      if (allowed == nullptr || allowed->origin.source != entry.origin.source) continue;
      refuse(entry.origin, cat("'", printable(entry.text), "' must not stand in both 'allow' and 'deny'"));
    }
  }

  // Where nothing is open they are closed, too, and where the network is the host's there is nothing to open.
  void check_host_ports(const Policy& policy) {
    if (policy.hosts.host_ports.empty() || network_mode(policy) != NetworkMode::nat) return;
    refuse(policy.hosts.host_ports[0].origin, "'host-ports' needs the network mode \"allowlist\", and it is \"nat\"");
  }

  struct Named {
    const FileList* list;
    const Entry* entry;
  };

  std::vector<Diagnostic> mistakes_;
  std::unordered_multimap<std::string, Named> named_;  // by normal path
};

}  // namespace

std::vector<Diagnostic> check(const Policy& policy) { return Checker().check(policy); }

}  // namespace agentctl::policy
