// SPDX-License-Identifier: Apache-2.0
// Finding and removing directories of cgroups.
#pragma once

#include <string>
#include <vector>

namespace agentctl::units {

// Every directory of that name below `top`, to a bounded depth.
[[nodiscard]] std::vector<std::string> find_cgroups(const std::string& top, const std::string& name);

// Ends every process in the cgroup at `directory` and below, then removes it, deepest first. Bounded in time; what
// cannot be removed stays.
void clear_cgroup(const std::string& directory);

}  // namespace agentctl::units
