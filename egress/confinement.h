// SPDX-License-Identifier: Apache-2.0
// For a forked process of ours that will do nothing but speak over sockets: gives up what it does not need, for good.
#pragma once

#include <sys/resource.h>

#include "base/result.h"

namespace agentctl::egress {

// Every capability, and new privileges. Keys of the terminal are the agent's and an end is the supervisor's to decide:
// such signals are ignored, and none is blocked.
[[nodiscard]] Result<void> give_up_privileges();

// Those, and all system calls but those of socket_filter.h. Raises the limit of open files as far as allowed, up to
// `descriptors`.
[[nodiscard]] Result<void> confine_to_sockets(rlim_t descriptors);

}  // namespace agentctl::egress
