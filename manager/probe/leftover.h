// SPDX-License-Identifier: Apache-2.0
// Processes of a run that are still there after it, found on the host by a word of their command line that only they
// have.
#pragma once

#include <string>

namespace agentctl::probe {

// Ends them. True when one of them had not ended by itself shortly after: a pid namespace that goes takes its time.
[[nodiscard]] bool end_leftovers(const std::string& word);

}  // namespace agentctl::probe
