// SPDX-License-Identifier: Apache-2.0
// The proof that a session is over: its cgroup is killed until the kernel says that nobody is left in it.
#pragma once

#include "base/result.h"
#include "units/cgroup.h"

namespace agentctl::manager {

// Refuses a cgroup that does not bear the name of a session's scope, whatever led to it. Kills every member, waits for
// `populated 0` (cgroup.events), kills again should something have been forked meanwhile. An Error after two seconds
// names the survivors: processes in uninterruptible sleep.
[[nodiscard]] Result<void> kill_and_prove_empty(const units::Cgroup& cgroup);

}  // namespace agentctl::manager
