// SPDX-License-Identifier: Apache-2.0
// The profiles whose agent this user has, for a launcher to offer.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_mounts.h"

namespace agentctl::launcher {

// A profile that cannot be read, and one without a command, is not among them.
[[nodiscard]] std::vector<std::string> find_profiles(const std::string& config_dir, bwrap::HostMounts& mounts);

// As they are offered: `last` (of the last session in the project) in front, the shell at the end. A shell alone is no
// agent: an Error of kind environment, unless it was the last. Pure.
[[nodiscard]] Result<std::vector<std::string>> order_profiles(std::vector<std::string> found, const std::string& last);

}  // namespace agentctl::launcher
