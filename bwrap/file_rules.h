// SPDX-License-Identifier: Apache-2.0
// The lists of [files] of the policy, put into a Layout. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Every path that [files] names, expanded: what HostFacts::paths must know of.
[[nodiscard]] std::vector<std::string> named_paths(const policy::FileSettings& files, const std::string& home,
                                                   const std::string& project);

// Refuses a required path that is missing, what has no place in [files] (devices, sockets, "/", our own stage).
[[nodiscard]] Result<void> add_file_rules(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
                                          std::vector<std::string>& warnings);

}  // namespace agentctl::bwrap
