// SPDX-License-Identifier: Apache-2.0
// A plan, carried out by the real bwrap without scope, gates and terminal.
#pragma once

#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

struct RunOutcome {
  int status = -1;     // exit status, 128 + signal
  std::string output;  // stdout and stderr
};

// Runs `words` inside; the program `stage` stands at kStagePath.
[[nodiscard]] RunOutcome run_plan(const Plan& plan, const std::string& stage, const std::vector<std::string>& words);

}  // namespace agentctl::bwrap
