// SPDX-License-Identifier: Apache-2.0
// A service manager that was there before us and stays: the user's own, or PID 1 for root.
#pragma once

#include <memory>

#include "base/result.h"
#include "units/manager_connection.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {

struct SharedManager {
  ManagerKind kind = ManagerKind::user;         // private_manager: none answers and a private one is the way
  std::unique_ptr<SystemdScopeManager> scopes;  // none for private_manager
};

// `automatic`: the user manager if reachable; else, for root, PID 1 where it is systemd and a private one where it is
// not.
[[nodiscard]] Result<SharedManager> find_shared_manager(ManagerKind wanted, const Deadlines& deadlines);

}  // namespace agentctl::units
