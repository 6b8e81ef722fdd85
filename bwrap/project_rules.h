// SPDX-License-Identifier: Apache-2.0
// What a policy takes away in the project, by its rules and not by what exists at the moment: two sessions of one
// project are held against each other by it. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// "hide PATH" and "protect PATH", absolute, below the project's canonical path.
[[nodiscard]] std::vector<std::string> project_rules(const policy::FileSettings& files, const HostFacts& facts);

// Those of `other` that `rules` does not keep: what is hidden, or lies in what is hidden, is protected too.
[[nodiscard]] std::vector<std::string> find_missing_rules(const std::vector<std::string>& rules,
                                                          const std::vector<std::string>& other);

}  // namespace agentctl::bwrap
