// SPDX-License-Identifier: Apache-2.0
// The proof, from outside, that the sandbox around a process is the one that was planned. Everything is read from the
// kernel (/proc/PID of the stage, before the agent exists); nothing is taken from what the inside says.
// Sources: proc(5) (status, mountinfo), namespaces(7).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/bind_proof.h"
#include "bwrap/expected_mounts.h"
#include "bwrap/mount_table.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

// A mount that would let later mounts of the host in, or ours out. Pure.
[[nodiscard]] std::vector<std::string> compare_propagation(const std::vector<MountEntry>& mounts);

// From /proc/PID/status: no capability in any set, NoNewPrivs, seccomp filter mode with `filters` filters. Pure.
[[nodiscard]] std::vector<std::string> compare_status(std::string_view status_text, std::size_t filters);

// For a live process: each of its namespaces differs from ours, except the network's when it is shared. Gives the names
// of those that are the sandbox's own. To be proven before anything is done inside. Errors are of kind environment and
// list every difference.
[[nodiscard]] Result<std::vector<std::string>> prove_namespaces(pid_t pid, const Plan& plan);

// What the plan lets expect, made while bwrap works. The plan outlives it.
class PlannedWalls {
 public:
  explicit PlannedWalls(const Plan& plan) : plan_(plan), mounts_(plan), binds_(plan) {}

  // For a live process: its mounts and its status are the planned ones. Errors as above.
  [[nodiscard]] Result<void> prove(pid_t pid, std::size_t filters) const;

 private:
  const Plan& plan_;
  ExpectedMounts mounts_;
  ExpectedBinds binds_;
};

}  // namespace agentctl::bwrap
