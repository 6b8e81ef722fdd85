// SPDX-License-Identifier: Apache-2.0
// The names that a completion offers: of sessions, profiles and variables, as they are at this moment. Whatever cannot
// be read is left out without a word. Only plain names, which no shell takes for anything else.
#pragma once

#include <vector>

#include "manager/completion/expectation.h"

namespace agentctl::manager {

// Sorted, none twice. Of the kinds that the shell itself looks up: none.
[[nodiscard]] std::vector<Candidate> look_up(Expectation::Kind kind);

}  // namespace agentctl::manager
