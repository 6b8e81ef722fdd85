// SPDX-License-Identifier: Apache-2.0
// Probes that were killed, by their scratch places, and what they have left: removed as their own end would have. A
// scratch place belongs to a dead probe when it is the user's, has the name of one, the process in that name is gone
// and nobody holds its lock, which counts in other pid namespaces, too. Of what its list names only that is removed
// which is the user's and has the probe's mark in its name, or was made by that process; no link is followed.
#pragma once

#include <string>
#include <string_view>

#include "base/process.h"
#include "base/result.h"

namespace agentctl::probe {

inline constexpr const char* kScratchParent = "/var/tmp";

// "agentctl-probe-PID-START-XXXXXX", for mkdtemp(3).
[[nodiscard]] std::string scratch_template(const ProcessIdentity& owner);
// The owner in such a name; an Error for any other. Pure.
[[nodiscard]] Result<ProcessIdentity> owner_of_scratch(std::string_view name);

void sweep_dead_probes();

}  // namespace agentctl::probe
