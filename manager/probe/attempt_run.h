// SPDX-License-Identifier: Apache-2.0
// One run of the inside half: launched, listened to, and everything outside looked at before and after. What it leaves
// running is ended.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

struct AttemptRun {
  // Executes the program with these words for it, or gives an exit status; called in the launched process.
  std::function<int(const std::vector<std::string>& words)> body;
  std::string tag;        // unlike that of any other run
  std::string directory;  // where the launcher stands: outside of the project
  std::vector<std::string> environment;
  std::string slow;                                    // what is said of it when it takes more than a second
  std::function<void(std::string_view what)> on_wait;  // the host half's part of an attempt
};

// An Error of kind system, sys_errno EINTR, when the user ends it.
[[nodiscard]] Result<Evidence> run_attempts(const AttemptRun& run, const Planted& planted, Canaries& canaries);

}  // namespace agentctl::probe
