// SPDX-License-Identifier: Apache-2.0
// Known places of secrets that a rule of the user's own shows: theirs to show, but never without a word. What the
// built-in profiles show, which is the agent's own login, is what the session was started for. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// After Layout::arrange(). One warning for each rule.
void warn_of_shown_secrets(const policy::FileSettings& files, const HostFacts& facts, const Layout& layout,
                           std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
