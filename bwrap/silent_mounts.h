// SPDX-License-Identifier: Apache-2.0
// Mounts of the host that do not answer (host_mounts.h) below what a session is shown: a bind brings them along, and
// whatever touches them would wait for as long as they do. The session finds something empty there instead, and is
// told. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"

namespace agentctl::bwrap {

// The directories whose trees a plan may bind.
[[nodiscard]] std::vector<std::string> trees_that_may_be_shown(const HostFacts& facts, policy::HomeMode home);
// Before Layout::arrange(), when everything that shows something is in the layout.
void cover_silent_mounts(const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
