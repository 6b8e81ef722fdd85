// SPDX-License-Identifier: Apache-2.0
// A project that is a place of secrets: its agent would read and write what the others' agents may not even see. A
// place within the project counts unless the policy hides it; what the built-in default hides counts, too. What lies in
// a place that the user has taken out of the list (policy/secret_places.h) is theirs to give.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// The known places that exist; one system call for each that does not.
[[nodiscard]] std::vector<PathFact> find_secret_places(const HostFacts& facts, PathResolver& resolver);
// "~/.ssh", as a policy names it.
[[nodiscard]] std::string name_in_home(const PathFact& place, const HostFacts& facts);

// Pure; kind policy.
[[nodiscard]] Result<void> check_project_secrets(const policy::FileSettings& files, const HostFacts& facts);

}  // namespace agentctl::bwrap
