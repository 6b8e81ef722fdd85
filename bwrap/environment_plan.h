// SPDX-License-Identifier: Apache-2.0
// The environment of the session, the whole of it: bwrap is started with just this, for what it is given can be read
// in /proc/1/environ inside. Only what the policy passes comes from the caller. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// "NAME=value", sorted by name. PATH keeps, in the caller's order, the directories that the layout shows, and then the
// usual ones of the user's own programs. A variable that names files (environment_files.h) is passed where they are
// shown; what is left out of what the policy passes is told. `opened` (opening.h) comes before what the policy sets,
// and so do the variables of an allowlist (proxy_variables.h); `cache` is the directory of tools' caches inside.
[[nodiscard]] std::vector<std::string> plan_environment(const policy::Policy& policy, const HostFacts& facts,
                                                        const Layout& layout,
                                                        const std::map<std::string, std::string>& opened,
                                                        const std::string& cache, std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
