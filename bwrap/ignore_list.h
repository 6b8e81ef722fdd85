// SPDX-License-Identifier: Apache-2.0
// The one list of ignore patterns that git takes from the user's own configuration, for every repository. Source:
// git-config(1), "core.excludesFile".
#pragma once

#include <optional>
#include <string>

#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// `named`: core.excludesFile as the user's files have it. A path that counts from elsewhere than the home or the root,
// and a file that cannot be read, are a fault.
[[nodiscard]] IgnoreListFact read_ignore_list(const std::optional<std::string>& named, const std::string& home,
                                              PathResolver& resolver);

}  // namespace agentctl::bwrap
