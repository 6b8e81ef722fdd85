// SPDX-License-Identifier: Apache-2.0
// The words with which `agentctl start` makes the sandbox that the options of a probe name. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/cli.h"

namespace agentctl::probe {

// Relative paths are made absolute, as from `current`: the launcher stands elsewhere.
[[nodiscard]] std::vector<std::string> start_options(const manager::StartOptions& options, const std::string& current);

}  // namespace agentctl::probe
