// SPDX-License-Identifier: Apache-2.0
// The read-back: systemd calls a job done although a limit was not applied, and a drop-in beats what the bus asked for.
// So the kernel's files decide. A difference that is nobody's decision is mended once (SetUnitProperties); one that a
// drop-in makes is not fought, since it would win again at the next reload: the start is refused and the drop-in named.
#pragma once

#include <optional>

#include "base/result.h"
#include "units/cgroup.h"
#include "units/scope_manager.h"

namespace agentctl::manager {

[[nodiscard]] Result<void> prove_limits(units::ScopeManager& manager, const units::ScopeRequest& scope,
                                        const units::Cgroup& cgroup);

// That limits which somebody else has set are those that the kernel keeps.
[[nodiscard]] Result<void> confirm_limits(const units::ScopeLimits& limits, const std::optional<units::Cgroup>& cgroup);

}  // namespace agentctl::manager
