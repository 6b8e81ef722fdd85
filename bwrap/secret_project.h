// SPDX-License-Identifier: Apache-2.0
// A project that is a place of secrets: its agent would read and write what the others' agents may not even see. A
// place within the project counts unless the policy hides it; what the built-in default hides counts, too. What lies in
// a place that the user has taken out of the list (policy/secret_places.h) is theirs to give.
#pragma once

#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// The known places that exist and hold the project, are it or lie in it; one system call for each that does not exist.
[[nodiscard]] std::vector<PathFact> find_project_secrets(const HostFacts& facts, PathResolver& resolver);

// Pure; kind policy.
[[nodiscard]] Result<void> check_project_secrets(const policy::FileSettings& files, const HostFacts& facts);

}  // namespace agentctl::bwrap
