// SPDX-License-Identifier: Apache-2.0
// Policy: what the user wants, as plain data with the origin of every rule. Safe values are the defaults: a Policy
// made with {} opens nothing. Reading is policy_reader.h, layering policy_merge.h, refusals policy_check.h.
// A policy only says what is wanted: whether the kernel enforces it is proven later (units/, manager/).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace agentctl::policy {

// Where a rule was written. `source` is a file path, an option ("--memory-max") or "built-in default"; line and column
// count from 1 and are 0 where there are none.
struct Origin {
  std::string source;
  int line = 0;
  int column = 0;
  friend bool operator==(const Origin&, const Origin&) = default;
};
// Whether nobody on this machine wrote it.
[[nodiscard]] bool is_built_in(const Origin& origin);
[[nodiscard]] std::string to_string(const Origin& origin);  // "policy.toml:3:11", "--memory-max"

template <typename T>
struct Setting {
  T value{};
  Origin origin;
};

// One entry of a list: "~/notes", "!~/notes" (takes an earlier one out). Paths are still as the user wrote them.
struct Entry {
  std::string text;
  Origin origin;
  bool told_if_missing = false;  // the user wrote it for this machine: where nothing stands there, they hear of it
  bool any_case = false;         // a built-in one that the user has made their own: "A" stands for "a" as before
};
using Entries = std::vector<Entry>;

// What a "!entry" took out of a list of [files].
struct Removal {
  std::string list;  // "protect"
  Entry entry;       // as it stood in the list, without the "!", with the origin of the "!entry"
};

enum class OomMode { process, session };  // oom = "process" | "session"
enum class HomeMode { private_home, persistent, read_only };
// From closed to open. none: the session's own loopback; allowlist: the hosts that HostSettings name besides; nat: the
// public internet; host: what this machine reaches.
enum class NetworkMode { none, allowlist, nat, host };

// Limits as asked. Absent means "not said by this layer". Sizes may be a share of the machine, hence text; they were
// parsed once by the reader, so resolve_limits() cannot fail on them.
struct LimitSettings {
  std::optional<Setting<std::string>> memory_max;  // "8G", "60%", "infinity"
  std::optional<Setting<std::string>> memory_high;
  std::optional<Setting<std::string>> swap_max;
  std::optional<Setting<std::string>> cpu_quota;    // "150%", "infinity"
  std::optional<Setting<std::string>> cpu_weight;   // "1".."10000"
  std::optional<Setting<std::string>> tasks_max;    // "4096", "infinity"
  std::optional<Setting<std::string>> io_weight;    // "1".."10000"
  std::optional<Setting<std::string>> runtime_max;  // "90min", "infinity"
  std::optional<Setting<OomMode>> oom;
};

struct FileSettings {
  std::optional<Setting<HomeMode>> home;
  Entries read_only;   // bound read-only at the same path
  Entries read_write;  // bound read-write at the same path
  Entries copy;        // a copy of a file: the agent may change it, the host's file never changes
  Entries hide;        // nothing readable there
  Entries protect;     // readable, never writable
  Entries optional;    // which of the above may be missing
  std::vector<Removal> removals;
  Entries shown;  // known places of secrets (secret_places.h) that a user has taken out of what is hidden: "!~/.ssh"
};

struct EnvSettings {
  Entries pass;  // names; "LC_*" takes a prefix
  std::map<std::string, Setting<std::string>> set;
};

[[nodiscard]] inline HomeMode home_mode(const FileSettings& files) {
  return files.home ? files.home->value : HomeMode::private_home;
}

// [network] but for its mode. allow, commands and deny, entries of policy/host_rule.h, count with the mode allowlist
// alone, where nothing that no entry allows is reached, and what an entry denies is not, whoever allows it.
struct HostSettings {
  Entries allow;
  Entries commands;  // [network.commands] allow: what the commands reach that an agent runs, and so the agent, too
  Entries deny;
  Entries host_ports;  // of the host's loopback that are reached inside, with the mode allowlist: "11434"
  Entries publish;     // of the session's that are reached on the host's loopback (policy/publication.h)
};

// What of the host's endpoints the session may reach: names of policy/opening_name.h.
struct AllowSettings {
  Entries sockets;                      // "ssh-agent"
  Entries devices;                      // "gpu"
  std::optional<Setting<bool>> nested;  // user namespaces inside, for programs that bring a sandbox of their own
};

struct TerminalSettings {
  std::optional<Setting<bool>> filter;  // false: what the agent prints reaches your terminal as it is
};

struct Policy {
  std::optional<Setting<std::vector<std::string>>> command;  // [agent] command
  LimitSettings limits;
  LimitSettings budget;  // of all sessions together: only the keys of policy/budget.h
  FileSettings files;
  EnvSettings env;
  std::optional<Setting<NetworkMode>> network;
  HostSettings hosts;
  AllowSettings allow;
  TerminalSettings terminal;
};

[[nodiscard]] inline NetworkMode network_mode(const Policy& policy) {
  return policy.network ? policy.network->value : NetworkMode::none;
}

}  // namespace agentctl::policy
