// SPDX-License-Identifier: Apache-2.0
// Which program an agent's name would mean at a start of this user's: for listings and for what is written down. The
// start itself looks again (bwrap/command_lookup.h).
#pragma once

#include <string>

#include "bwrap/path_resolution.h"

namespace agentctl::manager {

// An absolute path, of $PATH first and of the usual places of a user's own programs then; "" when there is none.
[[nodiscard]] std::string find_agent(const std::string& word, bwrap::PathResolver& resolver);

}  // namespace agentctl::manager
