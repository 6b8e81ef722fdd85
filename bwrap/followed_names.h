// SPDX-License-Identifier: Apache-2.0
// Where what is hidden may come to be by way of links that were not there when the plan was made: who writes to the
// hidden name on the host writes there. Both ends of the way are then guarded, in a running sandbox, as the plan guards
// those that it knows (hidden_name.h).
#pragma once

#include <vector>

#include "bwrap/guarded_mount.h"
#include "bwrap/host_trees.h"
#include "bwrap/sandbox_view.h"

namespace agentctl::bwrap {

// Names to be guarded like `hidden`, whose path leads over links now; only those in trees of the host's. A directory
// that it leads to is no such name: the agent may have made the link.
[[nodiscard]] std::vector<GuardedMount> find_followed_names(const SandboxView& sandbox, const HostTrees& trees,
                                                            const GuardedMount& hidden);

// Pins above a hidden name: the directories that the agent could rename by now.
[[nodiscard]] std::vector<GuardedMount> find_pins_above(const SandboxView& sandbox, const HostTrees& trees,
                                                        const GuardedMount& hidden);

}  // namespace agentctl::bwrap
