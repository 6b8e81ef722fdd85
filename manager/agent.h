// SPDX-License-Identifier: Apache-2.0
// Agent: one started session's processes, scope and channels, owned by the supervisor. Destroying it before the session
// has ended kills everything (closed by default); after end() there is nothing left to kill.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process.h"
#include "base/unique_fd.h"
#include "bwrap/held_child.h"
#include "bwrap/stage_channel.h"
#include "egress/door.h"
#include "egress/nat.h"
#include "manager/mask_watch.h"
#include "units/cgroup.h"
#include "units/scope_broker.h"

namespace agentctl::manager {

struct Agent {
  bwrap::HeldChild bwrap;                // our child: bwrap's outer process once released
  units::ScopeBroker* anchor = nullptr;  // keeps the cgroup in being; none without a scope
  std::optional<units::Cgroup> cgroup;   // none with --no-limits
  bwrap::StageChannel stage;
  ProcessIdentity leader;  // the agent: first the stage, then what it executes
  UniqueFd leader_pidfd;
  std::vector<std::string> namespaces;  // those of the sandbox's own
  std::vector<std::string> warnings;
  std::unique_ptr<MaskWatch> masks;  // none: no mount of the plan needs it
  std::optional<egress::Nat> nat;    // its way to the internet; none: it has none, or the host's
  std::optional<egress::Door> door;  // to the hosts that are allowed, in place of nat
};

}  // namespace agentctl::manager
