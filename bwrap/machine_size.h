// SPDX-License-Identifier: Apache-2.0
// How large this machine is for this process: RAM by sysinfo(2), CPUs that it may use by sched_getaffinity(2).
#pragma once

#include "policy/limits.h"

namespace agentctl::bwrap {

[[nodiscard]] policy::MachineSize read_machine_size();

}  // namespace agentctl::bwrap
