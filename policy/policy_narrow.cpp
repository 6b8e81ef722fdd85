// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/quantity.h"
#include "base/text.h"
#include "policy/budget.h"
#include "policy/choice.h"
#include "policy/entry.h"
#include "policy/host_list.h"
#include "policy/host_rule.h"
#include "policy/limits.h"
#include "policy/policy_merge.h"

namespace agentctl::policy {
namespace {

constexpr std::uint64_t kKernelIoWeight = 100;  // io.weight of a cgroup that nobody set

struct LimitKnob {
  std::string_view key;
  std::optional<Setting<std::string>> LimitSettings::*setting;
  std::uint64_t (*value)(const Limits&);
  std::string (*format)(std::uint64_t);
};

std::string format_count(std::uint64_t count) { return count == kInfinity ? "infinity" : std::to_string(count); }

constexpr LimitKnob kKnobs[] = {
    {"memory-max", &LimitSettings::memory_max, [](const Limits& limits) { return limits.memory_max; }, format_size},
    {"memory-high", &LimitSettings::memory_high,
     [](const Limits& limits) { return limits.memory_high.value_or(kInfinity); }, format_size},
    {"swap-max", &LimitSettings::swap_max, [](const Limits& limits) { return limits.memory_swap_max; }, format_size},
    {"cpu-quota", &LimitSettings::cpu_quota, [](const Limits& limits) { return limits.cpu_quota_per_sec_usec; },
     format_cpu_quota},
    {"cpu-weight", &LimitSettings::cpu_weight, [](const Limits& limits) { return limits.cpu_weight; }, format_count},
    {"tasks-max", &LimitSettings::tasks_max, [](const Limits& limits) { return limits.tasks_max; }, format_count},
    {"io-weight", &LimitSettings::io_weight,
     [](const Limits& limits) { return limits.io_weight.value_or(kKernelIoWeight); }, format_count},
    {"runtime-max", &LimitSettings::runtime_max, [](const Limits& limits) { return limits.runtime_max_usec; },
     format_duration},
};

// Goes over a project's policy, reports what widens and keeps the rest.
class Filter {
 public:
  Filter(const Policy& base, const MachineSize& machine, std::vector<Diagnostic>& mistakes)
      : base_(base), machine_(machine), mistakes_(mistakes) {}

  Policy narrow(const Policy& project) {
    if (project.command) refuse(project.command->origin, "choose the program that runs");
    narrow_limits(project.limits);
    narrow_files(project.files);
    for (const Entry& entry : project.env.pass) {
      refuse(entry.origin, cat("change which variables reach the session ('", printable(entry.text), "')"));
    }
    for (const auto& [name, value] : project.env.set) {
      refuse(value.origin, cat("set the variable '", printable(name), "'"));
    }
    narrow_hosts(project.hosts);
    if (project.network) narrow_network(*project.network);
    narrow_allow(project.allow);
    narrow_terminal(project.terminal);
    refuse_budget(project, "a project's file", mistakes_);
    return std::move(kept_);
  }

 private:
  void refuse(const Origin& origin, std::string_view what) {
    mistakes_.push_back({origin, cat("a project's file must not widen the sandbox: this would ", what), {}});
  }

  void narrow_limits(const LimitSettings& limits) {
    const Limits before = resolve_limits(base_.limits, machine_);
    for (const LimitKnob& knob : kKnobs) {
      const auto& wanted = limits.*knob.setting;
      if (!wanted) continue;
      LimitSettings changed = base_.limits;
      changed.*knob.setting = wanted;
      const std::uint64_t asked = knob.value(resolve_limits(changed, machine_));
      if (asked > knob.value(before)) {
        refuse(wanted->origin,
               cat("raise '", knob.key, "' from ", knob.format(knob.value(before)), " to ", knob.format(asked)));
      } else {
        kept_.limits.*knob.setting = wanted;
      }
    }
    if (!limits.oom) return;
    if (before.oom == OomMode::session && limits.oom->value == OomMode::process) {
      refuse(limits.oom->origin, "let a session go on after a process of it was killed for memory");
    } else {
      kept_.limits.oom = limits.oom;
    }
  }

  void narrow_files(const FileSettings& files) {
    if (files.home) refuse(files.home->origin, "choose the kind of home");
    refuse_entries(files.read_only, "show '", "stop showing only for reading '");
    refuse_entries(files.read_write, "let the session write '", "change what the session may write ('");
    refuse_entries(files.copy, "show a copy of '", "stop replacing by a copy '");
    keep_entries(files.hide, kept_.files.hide, "show again '");
    keep_entries(files.protect, kept_.files.protect, "let the session write again '");
    for (const Entry& entry : files.optional) {
      if (!is_removal(entry.text) && is_kept(entry)) {
        kept_.files.optional.push_back(entry);
      } else {
        refuse(entry.origin, cat("change whether '", printable(without_mark(entry.text)), "' may be missing"));
      }
    }
  }

  void refuse_entries(const Entries& entries, std::string_view adding, std::string_view removing) {
    for (const Entry& entry : entries) {
      const std::string_view what = is_removal(entry.text) ? removing : adding;
      refuse(entry.origin, cat(what, printable(without_mark(entry.text)), what.ends_with("('") ? "')" : "'"));
    }
  }

  void keep_entries(const Entries& entries, Entries& kept, std::string_view removing) {
    for (const Entry& entry : entries) {
      if (is_removal(entry.text)) {
        refuse(entry.origin, cat(removing, printable(without_mark(entry.text)), "'"));
      } else {
        kept.push_back(entry);
      }
    }
  }

  // Only about its own rules may a project say that a path can be missing.
  [[nodiscard]] bool is_kept(const Entry& optional) const {
    const auto is_same = [&](const Entry& entry) { return normal_path(entry.text) == normal_path(optional.text); };
    const FileSettings& own = kept_.files;
    const FileSettings& base = base_.files;
    return (std::any_of(own.hide.begin(), own.hide.end(), is_same) ||
            std::any_of(own.protect.begin(), own.protect.end(), is_same)) &&
           std::none_of(base.hide.begin(), base.hide.end(), is_same) &&
           std::none_of(base.protect.begin(), base.protect.end(), is_same);
  }

  // Also where nobody has allowed what is taken out: the project cannot know.
  void narrow_allowed(const Entries& hosts, const Entries& base, Entries& kept) {
    for (const Entry& entry : hosts) {
      if (!is_removal(entry.text)) {
        refuse(entry.origin, cat("allow the host '", printable(entry.text), "'"));
      } else if (entry.text == kNoneBefore || find_host(base, entry.text) != nullptr) {
        kept.push_back(entry);
      }
    }
  }

  void narrow_hosts(const HostSettings& hosts) {
    narrow_allowed(hosts.allow, base_.hosts.allow, kept_.hosts.allow);
    narrow_allowed(hosts.commands, base_.hosts.commands, kept_.hosts.commands);
    keep_entries(hosts.deny, kept_.hosts.deny, "no longer deny the host '");
    narrow_names(hosts.host_ports, base_.hosts.host_ports, kept_.hosts.host_ports, "port of this machine");
    narrow_names(hosts.publish, base_.hosts.publish, kept_.hosts.publish, "port on this machine");
  }

  // Of the hosts that are allowed what the project itself does not take out.
  void narrow_network(const Setting<NetworkMode>& network) {
    const NetworkMode base = network_mode(base_);
    if (network.value > base)
      return refuse(network.origin, cat("open the network, which is \"", to_string(base), "\""));
    HostSettings allowed = base_.hosts;
    std::vector<Diagnostic> ignored;
    merge_hosts(allowed.allow, kept_.hosts.allow, "allow", ignored);
    merge_hosts(allowed.commands, kept_.hosts.commands, "allow", ignored);
    const Entries reached = all_allowed(allowed);
    const Entry* opened = find_opened_beyond_nat(reached);
    if (base == NetworkMode::nat && network.value == NetworkMode::allowlist && opened != nullptr) {
      return refuse(network.origin, cat("open '", printable(opened->text), "' (", to_string(opened->origin),
                                        "), which \"nat\" closes"));
    }
    kept_.network = network;
  }

  // Taking an opening out is welcome, also where nobody has opened it: the project cannot know.
  void narrow_names(const Entries& names, const Entries& base, Entries& kept, std::string_view what) {
    for (const Entry& entry : names) {
      if (!is_removal(entry.text)) {
        refuse(entry.origin, cat("open the ", what, " '", printable(entry.text), "'"));
      } else if (std::any_of(base.begin(), base.end(),
                             [&](const Entry& open) { return open.text == without_mark(entry.text); })) {
        kept.push_back(entry);
      }
    }
  }

  void narrow_allow(const AllowSettings& allow) {
    narrow_names(allow.sockets, base_.allow.sockets, kept_.allow.sockets, "socket");
    narrow_names(allow.devices, base_.allow.devices, kept_.allow.devices, "device");
    if (!allow.nested) return;
    const bool is_open = base_.allow.nested && base_.allow.nested->value;
    if (allow.nested->value && !is_open) {
      refuse(allow.nested->origin, "let user namespaces be made inside");
    } else {
      kept_.allow.nested = allow.nested;
    }
  }

  void narrow_terminal(const TerminalSettings& terminal) {
    if (!terminal.filter) return;
    const bool is_filtered = !base_.terminal.filter || base_.terminal.filter->value;
    if (!terminal.filter->value && is_filtered) {
      refuse(terminal.filter->origin, "let what the agent prints reach the terminal as it is");
    } else {
      kept_.terminal.filter = terminal.filter;
    }
  }

  const Policy& base_;
  const MachineSize& machine_;
  std::vector<Diagnostic>& mistakes_;
  Policy kept_;
};

}  // namespace

Policy narrow(Policy base, const Policy& project, const MachineSize& machine, std::vector<Diagnostic>& mistakes) {
  const Policy kept = Filter(base, machine, mistakes).narrow(project);
  return merge(std::move(base), kept, mistakes);
}

}  // namespace agentctl::policy
