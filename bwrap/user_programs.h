// SPDX-License-Identifier: Apache-2.0
// Where the usual installers put programs of a user's own. A shell's start-up files add these places to PATH; a
// launcher or a service of the login session has a PATH without them, and the agent is to be found all the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

// Those that are directories on this machine, as absolute paths.
[[nodiscard]] std::vector<std::string> user_program_directories(const std::string& home, PathResolver& resolver);

// Of `versions` ("v20.11.1", …) the highest that `wanted` names: "20", "v20.11", or "" for any; "" when there is none.
[[nodiscard]] std::string newest_version(const std::vector<std::string>& versions, std::string_view wanted);

}  // namespace agentctl::bwrap
