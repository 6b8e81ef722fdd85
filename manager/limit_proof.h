// SPDX-License-Identifier: Apache-2.0
// The read-back: systemd calls a job done although a limit was not applied, and a drop-in beats what the bus asked for.
// So the kernel's files decide. A difference that is nobody's decision is mended once (SetUnitProperties); one that a
// drop-in makes is not fought, since it would win again at the next reload: the start is refused and the drop-in named.
#pragma once

#include "base/result.h"
#include "units/cgroup.h"
#include "units/manager_connection.h"
#include "units/scope_manager.h"

namespace agentctl::manager {

[[nodiscard]] Result<void> prove_limits(units::ManagerConnection& manager, const units::ScopeRequest& scope,
                                        const units::Cgroup& cgroup);

}  // namespace agentctl::manager
