// SPDX-License-Identifier: Apache-2.0
// Puts guarded mounts of a running sandbox back, from outside, by a short-lived process of ours that enters the
// sandbox's mounts and nothing else of it. The agent lives, so nothing is taken by its path: what is mounted on was
// opened without following links, and it is the kernel that refuses if it is not what was opened any more. What the
// agent could gain by a race is a mask over a file (never a directory) that it chose, for its own eyes. Needs
// Linux 5.12. Sources: open_tree(2), move_mount(2), mount_setattr(2), fsopen(2), setns(2).
#pragma once

#include <vector>

#include "base/result.h"
#include "bwrap/guarded_mount.h"
#include "bwrap/sandbox_view.h"

namespace agentctl::bwrap {

// Each of them that is lost stands when this returns, a copy with the content of the one that `sandbox` holds, or an
// Error of kind environment says which could not be placed; one whose file was replaced again or has gone meanwhile is
// left: look again. A mask on a link covers the link and what it leads to. Waits two seconds at most.
[[nodiscard]] Result<void> restore_mounts(const SandboxView& sandbox, const std::vector<GuardedMount>& lost);

}  // namespace agentctl::bwrap
