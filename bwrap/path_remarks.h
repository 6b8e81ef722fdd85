// SPDX-License-Identifier: Apache-2.0
// What `explain` adds to an answer about a path: why a built-in glob that fits its name does not hide it, and which
// line took a rule away that would have decided. Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/path_answer.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Sentences without a full stop; mostly none. `path` as it was asked about, absolute.
[[nodiscard]] std::vector<std::string> path_remarks(const policy::FileSettings& files, const HostFacts& facts,
                                                    const std::string& path, const PathAnswer& answer);

}  // namespace agentctl::bwrap
