// SPDX-License-Identifier: Apache-2.0
#include "policy/policy_merge.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "policy/entry.h"
#include "policy/env_name.h"
#include "policy/file_lists.h"
#include "policy/glob.h"
#include "policy/host_list.h"
#include "policy/secret_places.h"

namespace agentctl::policy {
namespace {

template <typename T>
void replace(std::optional<Setting<T>>& earlier, const std::optional<Setting<T>>& later) {
  if (later) earlier = later;
}

void merge_limits(LimitSettings& earlier, const LimitSettings& later) {
  replace(earlier.memory_max, later.memory_max);
  replace(earlier.memory_high, later.memory_high);
  replace(earlier.swap_max, later.swap_max);
  replace(earlier.cpu_quota, later.cpu_quota);
  replace(earlier.cpu_weight, later.cpu_weight);
  replace(earlier.tasks_max, later.tasks_max);
  replace(earlier.io_weight, later.io_weight);
  replace(earlier.runtime_max, later.runtime_max);
  replace(earlier.oom, later.oom);
}

bool holds(const Entries& entries, const std::string& path) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const Entry& entry) { return normal_path(entry.text) == path; });
}

bool take_out(Entries& entries, const std::string& path) {
  return std::erase_if(entries, [&](const Entry& entry) { return normal_path(entry.text) == path; }) > 0;
}

void forget_removal(FileSettings& files, const FileList& list, const std::string& path) {
  std::erase_if(files.removals, [&](const Removal& removal) {
    return removal.list == list.name && normal_path(removal.entry.text) == path;
  });
}

void report_useless(const Entry& entry, std::string_view list, std::vector<Diagnostic>& mistakes) {
  mistakes.push_back({entry.origin, cat("'", printable(entry.text), "' takes nothing out of '", list, "'"), {}});
}

// The glob of `entries` that matches a path, if there is one.
const Entry* find_glob_for(const Entries& entries, const std::string& path) {
  // The home's, the root's or the project's.
  const auto place_of = [](const std::string& text) { return text[0] == '~' || text[0] == '/' ? text[0] : '.'; };
  const auto matches = [&](const Entry& entry) {
    const std::string pattern = normal_path(entry.text);
    const Glob glob(cat("/", pattern));
    const std::string full = cat("/", path);
    return place_of(pattern) == place_of(path) && starts_with_path(full, glob.base()) &&
           glob.matches(full.substr(glob.base().size()));
  };
  const auto found = std::find_if(entries.begin(), entries.end(), matches);
  return found == entries.end() ? nullptr : &*found;
}

void report_useless_path(const Entry& entry, const FileList& list, const Entries& entries,
                         std::vector<Diagnostic>& mistakes) {
  const Entry* glob = list.has_globs ? find_glob_for(entries, normal_path(without_mark(entry.text)))
                                     : static_cast<const Entry*>(nullptr);
  if (glob == nullptr) return report_useless(entry, list.name, mistakes);
  mistakes.push_back(
      {entry.origin,
       cat("'", printable(entry.text), "' takes nothing out of '", list.name, "': '", printable(glob->text),
           "' matches it, which can be taken out as a whole; or name the file in ", "'read-only' or 'read-write'"),
       {}});
}

void remove_paths(FileSettings& files, const FileSettings& later, std::vector<Diagnostic>& mistakes) {
  for (const FileList& list : kFileLists) {
    for (const Entry& entry : later.*list.entries) {
      if (!is_removal(entry.text)) continue;
      const std::string path = normal_path(without_mark(entry.text));
      if (take_out(files.*list.entries, path)) {
        forget_removal(files, list, path);
        files.removals.push_back({std::string(list.name), {std::string(without_mark(entry.text)), entry.origin}});
      } else {
        const bool is_hidden_place = list.entries == &FileSettings::hide && is_secret_place(path);
        if (!is_hidden_place) report_useless_path(entry, list, files.*list.entries, mistakes);
        if (is_hidden_place) files.shown.push_back({path, entry.origin});
      }
      // What says that a path may be missing goes with the last rule about that path.
      const bool is_named = std::any_of(kFileLists.begin(), kFileLists.end(), [&](const FileList& other) {
        return other.entries != &FileSettings::optional && holds(files.*other.entries, path);
      });
      if (!is_named) take_out(files.optional, path);
    }
  }
}

// A path that a later layer grants in one way is no longer granted in another: the later word counts.
void yield_to_later_grants(FileSettings& files, const FileSettings& later) {
  for (const FileList& granting : kFileLists) {
    if (!granting.is_grant) continue;
    std::unordered_set<std::string> granted;
    for (const Entry& entry : later.*granting.entries) {
      if (!is_removal(entry.text)) granted.insert(normal_path(entry.text));
    }
    if (granted.empty()) continue;
    for (const FileList& other : kFileLists) {
      if (!other.is_grant || other.entries == granting.entries) continue;
      std::erase_if(files.*other.entries,
                    [&](const Entry& entry) { return granted.contains(normal_path(entry.text)); });
    }
  }
}

// What the user says, too, is the user's own rule: those that are built in are weaker (bwrap/default_globs.h).
void make_own(Entries& entries, const Entry& own) {
  for (Entry& entry : entries) {
    if (!is_built_in(entry.origin) || normal_path(entry.text) != normal_path(own.text)) continue;
    entry = own;
    entry.any_case = true;
  }
}

void merge_files(FileSettings& files, const FileSettings& later, std::vector<Diagnostic>& mistakes) {
  replace(files.home, later.home);
  remove_paths(files, later, mistakes);
  yield_to_later_grants(files, later);
  for (const FileList& list : kFileLists) {
    if ((later.*list.entries).empty()) continue;
    Entries& entries = files.*list.entries;
    std::unordered_set<std::string> present;
    for (const Entry& entry : entries) present.insert(normal_path(entry.text));
    for (const Entry& entry : later.*list.entries) {
      if (is_removal(entry.text)) continue;
      if (present.insert(normal_path(entry.text)).second) {
        forget_removal(files, list, normal_path(entry.text));
        entries.push_back(entry);
      } else if (!is_built_in(entry.origin)) {
        make_own(entries, entry);
      }
    }
  }
}

void remove_variable(EnvSettings& env, const Entry& entry, std::vector<Diagnostic>& mistakes) {
  const std::string name(without_mark(entry.text));
  const bool was_passed = std::erase_if(env.pass, [&](const Entry& passed) { return passed.text == name; }) > 0;
  const bool was_set = env.set.erase(name) > 0;
  if (was_passed || was_set) return;
  for (const Entry& passed : env.pass) {
    if (!matches_env_name(passed.text, name)) continue;
    mistakes.push_back({entry.origin,
                        cat("'", printable(entry.text), "' takes nothing out of 'pass': '", name, "' comes with '",
                            passed.text, "', which can be taken out as a whole"),
                        {}});
    return;
  }
  report_useless(entry, "pass", mistakes);
}

void merge_env(EnvSettings& env, const EnvSettings& later, std::vector<Diagnostic>& mistakes) {
  for (const Entry& entry : later.pass) {
    if (is_removal(entry.text)) remove_variable(env, entry, mistakes);
  }
  for (const Entry& entry : later.pass) {
    if (is_removal(entry.text)) continue;
    env.set.erase(entry.text);
    const bool is_known =
        std::any_of(env.pass.begin(), env.pass.end(), [&](const Entry& passed) { return passed.text == entry.text; });
    if (!is_known) env.pass.push_back(entry);
  }
  for (const auto& [name, value] : later.set) {
    const bool is_own = std::any_of(later.pass.begin(), later.pass.end(),
                                    [&, &key = name](const Entry& passed) { return passed.text == key; });
    if (!is_own) std::erase_if(env.pass, [&, &key = name](const Entry& passed) { return passed.text == key; });
    env.set[name] = value;
  }
}

void merge_names(Entries& names, const Entries& later, std::string_view list, std::vector<Diagnostic>& mistakes) {
  const auto is_named = [](std::string_view name) { return [name](const Entry& entry) { return entry.text == name; }; };
  for (const Entry& entry : later) {
    if (!is_removal(entry.text)) continue;
    if (std::erase_if(names, is_named(without_mark(entry.text))) == 0) report_useless(entry, list, mistakes);
  }
  for (const Entry& entry : later) {
    if (is_removal(entry.text)) continue;
    if (std::none_of(names.begin(), names.end(), is_named(entry.text))) names.push_back(entry);
  }
}

void merge_allow(AllowSettings& allow, const AllowSettings& later, std::vector<Diagnostic>& mistakes) {
  merge_names(allow.sockets, later.sockets, "sockets", mistakes);
  merge_names(allow.devices, later.devices, "devices", mistakes);
  replace(allow.nested, later.nested);
}

}  // namespace

Policy merge(Policy earlier, const Policy& later, std::vector<Diagnostic>& mistakes) {
  Policy merged = std::move(earlier);
  replace(merged.command, later.command);
  replace(merged.network, later.network);
  merge_limits(merged.limits, later.limits);
  merge_limits(merged.budget, later.budget);
  merge_files(merged.files, later.files, mistakes);
  merge_env(merged.env, later.env, mistakes);
  merge_hosts(merged.hosts.allow, later.hosts.allow, "allow", mistakes);
  merge_hosts(merged.hosts.commands, later.hosts.commands, "allow", mistakes);
  merge_hosts(merged.hosts.deny, later.hosts.deny, "deny", mistakes);
  merge_names(merged.hosts.host_ports, later.hosts.host_ports, "host-ports", mistakes);
  merge_names(merged.hosts.publish, later.hosts.publish, "publish", mistakes);
  merge_allow(merged.allow, later.allow, mistakes);
  replace(merged.terminal.filter, later.terminal.filter);
  return merged;
}

}  // namespace agentctl::policy
