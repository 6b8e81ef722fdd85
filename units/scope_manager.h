// SPDX-License-Identifier: Apache-2.0
// ScopeManager: where the service manager enters. One live form over sd-bus (systemd_scope_manager.h); tests talk to
// the same code through a FakeSystemd at the other end of a socketpair. All calls block with a deadline of their own.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "units/limits.h"

namespace agentctl::units {

struct ScopeRequest {
  std::string unit;         // "app-agentctl-1a2b3c4d.scope"
  std::string slice;        // "app-agentctl.slice"
  std::string description;  // already printable
  std::string bound_to;     // the service whose end ends the scope, and which is stopped before it; none: ""
  std::vector<pid_t> pids;  // held children of ours; pidfds are opened and sent where the manager knows PIDFDs
  ScopeLimits limits;
};

struct ScopeStarted {
  std::string control_group;         // Scope.ControlGroup: "/user.slice/…/app-agentctl-….scope"
  int manager_version = 0;           // 252
  std::vector<std::string> dropped;  // optional properties that this version does not know
};

class ScopeManager {
 public:
  virtual ~ScopeManager() = default;
  // Returns when the job is done and the unit active; every other job result is an error in a sentence of its own. On
  // any error nothing is left: the unit is stopped and reset as far as the manager answers.
  [[nodiscard]] virtual Result<ScopeStarted> start(const ScopeRequest& request) = 0;
  // SetUnitProperties(runtime): for a live change, and the one retry when a read-back differs.
  [[nodiscard]] virtual Result<void> set_limits(const std::string& unit, const ScopeLimits& limits) = 0;
  // The same for what is said of a slice.
  [[nodiscard]] virtual Result<void> set_slice_limits(const std::string& slice, const SliceLimits& limits) = 0;
  // Drop-in files other than the manager's own transient ones that apply to the unit (Unit.DropInPaths).
  [[nodiscard]] virtual Result<std::vector<std::string>> drop_ins(const std::string& unit) = 0;
  // StopUnit and ResetFailedUnit, best effort, bounded; a unit that is gone is success.
  [[nodiscard]] virtual Result<void> stop(const std::string& unit) = 0;
};

}  // namespace agentctl::units
