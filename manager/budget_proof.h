// SPDX-License-Identifier: Apache-2.0
// The budget of all sessions lies on the slice above their scopes. A start reads what the kernel keeps there and asks
// the service manager only where that is not the budget; what does not hold then refuses the start. A limit of the
// slice that the user has set elsewhere stays where it is the stricter one and nobody wrote another in [budget].
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "policy/budget.h"
#include "units/cgroup.h"
#include "units/scope_manager.h"

namespace agentctl::manager {

// `scope` lies in the slice. Gives warnings.
[[nodiscard]] Result<std::vector<std::string>> prove_budget(units::ScopeManager& manager, const std::string& slice,
                                                            const policy::Budget& budget, const units::Cgroup& scope);

}  // namespace agentctl::manager
