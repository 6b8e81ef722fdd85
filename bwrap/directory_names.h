// SPDX-License-Identifier: Apache-2.0
// The names in a directory that somebody else may be changing: opened without following any link, and bounded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

// Sorted, without "." and "..". More than `limit` names are an Error.
[[nodiscard]] Result<std::vector<std::string>> list_directory(const HostPath& canonical, std::size_t limit);

}  // namespace agentctl::bwrap
