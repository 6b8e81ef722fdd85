// SPDX-License-Identifier: Apache-2.0
// What stands in a directory of the host, as facts.
#pragma once

#include <string>
#include <vector>

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// Sorted by name. Empty where it cannot be read, or holds more than 2000 entries: bwrap takes 9000 words.
[[nodiscard]] std::vector<PathFact> list_directory(const std::string& path, PathResolver& resolver);

}  // namespace agentctl::bwrap
