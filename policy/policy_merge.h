// SPDX-License-Identifier: Apache-2.0
// Layers: built-in default < profile < /etc/agentctl/policy.toml < ~/.config/agentctl/policy.toml < command line. Pure.
#pragma once

#include <vector>

#include "policy/limits.h"
#include "policy/policy.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {

// `later` over `earlier`: scalars replace, tables merge key by key, lists add; an entry "!x" takes "x" out of what came
// before it. An "!x" that takes nothing out is a mistake.
[[nodiscard]] Policy merge(Policy earlier, const Policy& later, std::vector<Diagnostic>& mistakes);

// A project's .agentctl.toml is a filter: reports everything in `project` that would widen `base`, merges the rest.
// Which of "60%" and "8G" is the lower depends on the machine. Not for a project that the user trusts: that is one more
// merge().
[[nodiscard]] Policy narrow(Policy base, const Policy& project, const MachineSize& machine,
                            std::vector<Diagnostic>& mistakes);

}  // namespace agentctl::policy
