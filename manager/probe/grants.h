// SPDX-License-Identifier: Apache-2.0
// What a policy opens, as a verdict needs it: what gets through then is ALLOWED.
#pragma once

#include <string>

#include "manager/probe/verdict.h"
#include "manager/record.h"
#include "policy/policy.h"

namespace agentctl::probe {

// Pure. `home` and `project` are what "~" and "./" mean; `closes_names`: the kernel has bwrap/landlock_scope.h.
[[nodiscard]] Grants grants_of(const policy::Policy& policy, const std::string& home, const std::string& project,
                               bool closes_names);
// Of a running session, whose leader is looked at.
[[nodiscard]] Grants grants_of(const manager::Record& record, const std::string& home, bool closes_names);

}  // namespace agentctl::probe
