// SPDX-License-Identifier: Apache-2.0
// HostFacts + Policy -> Plan. Pure: no system call. Refuses (kind policy, exit status 3) a project that is "/", the
// home, an ancestor of it, or that holds our configuration, our state or a $PATH directory; a read-write entry of that
// sort; a required path that is missing; a destination that would have to be made on the host.
#pragma once

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/plan.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Where things of ours stand inside.
inline constexpr const char* kStagePath = "/run/agentctl/stage";

[[nodiscard]] Result<Plan> build_plan(const policy::Policy& policy, const HostFacts& facts);

}  // namespace agentctl::bwrap
