// SPDX-License-Identifier: Apache-2.0
// Which service manager serves this caller, and the connection to it. (`--manager auto|user|system|private`.)
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "units/scope_manager.h"

namespace agentctl::units {

class ScopeBroker;

enum class ManagerKind { automatic, user, system, private_manager };
[[nodiscard]] const char* to_string(ManagerKind kind);                        // "auto", "user", "system", "private"
[[nodiscard]] Result<ManagerKind> parse_manager_kind(std::string_view text);  // usage error otherwise

// How long each step may take. A busy systemd needs seconds; one that needs more does not answer at all.
struct Deadlines {
  unsigned call_msec = 5000;
  unsigned job_msec = 10000;
};

// A manager in use, through a ScopeBroker that outlives it. For `private` it owns a `systemd --user` of this session's
// own in a cgroup subtree and namespaces of its own, which dies with this process (PDEATHSIG) and whose cgroups are
// removed at destruction, when empty.
class ManagerConnection {
 public:
  virtual ~ManagerConnection() = default;
  [[nodiscard]] virtual ManagerKind kind() const = 0;  // never automatic
  [[nodiscard]] virtual ScopeManager& scopes() = 0;
  // Puts a process where this manager may take it from; only `private` needs it (the pid must be a held child).
  [[nodiscard]] virtual Result<void> adopt(pid_t pid) = 0;
  // What precedes Scope.ControlGroup below each cgroup mount as this process sees it: "" or
  // "/agentctl-private-1a2b3c4d".
  [[nodiscard]] virtual std::string cgroup_prefix() const = 0;
  // The process of a private manager; else 0.
  [[nodiscard]] virtual pid_t manager_pid() const = 0;
};

// After broker.begin_connect(). `automatic` took the user manager if reachable, else system when we are root and PID 1
// is systemd, else private when we are root and cgroups are writable, else an Error of kind environment that says what
// is missing and what to do. `session_id` names the private subtree.
[[nodiscard]] Result<std::unique_ptr<ManagerConnection>> connect_manager(ScopeBroker& broker,
                                                                         const std::string& session_id,
                                                                         const Deadlines& deadlines);

// The manager of a session that runs: `kind` is never automatic; for `private` it is the process `manager_pid`. Speaks
// through `broker`, which outlives it.
[[nodiscard]] Result<std::unique_ptr<ScopeManager>> reconnect_manager(ScopeBroker& broker, ManagerKind kind,
                                                                      pid_t manager_pid, const Deadlines& deadlines);

// Removes cgroup subtrees of private managers whose supervisor is gone (called by the sweep with the record's id).
void remove_private_subtree(const std::string& session_id);

}  // namespace agentctl::units
