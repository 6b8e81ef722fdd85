// SPDX-License-Identifier: Apache-2.0
// Target: what the inside half is run in: a sandbox made for it, a running session, somebody's own command line, or
// nothing at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli.h"
#include "manager/probe/scratch_place.h"
#include "manager/probe/verdict.h"
#include "policy/limits.h"

namespace agentctl::probe {

struct Target {
  std::string name;         // "sandbox", "session", "against", "self-test"
  std::string project;      // absolute
  bool is_planted = false;  // the project is made for the probe
  bool stays = false;       // it is there before the inside half and after it
  std::string state;        // where agentctl keeps what it keeps of it; "" where it has no part in it
  std::string slow;         // said when it takes its time
  Grants grants;
  std::uint64_t tasks = 0;   // enough to be through the limit; 0: not to be tried
  std::uint64_t memory = 0;  // bytes
  std::function<int(const std::vector<std::string>& words)> body;
};

// `program`: the inside half's.
[[nodiscard]] Result<Target> choose_target(const manager::ProbeOptions& options, const std::string& program,
                                           const ScratchPlace& scratch);
// The program itself, as the control.
[[nodiscard]] std::function<int(const std::vector<std::string>& words)> without_sandbox(const std::string& program);

}  // namespace agentctl::probe
