// SPDX-License-Identifier: Apache-2.0
// PrivateSubtree: a cgroup of our own in each hierarchy, below the one we are in, for one private manager. Removed at
// destruction with all below it. Nothing else on the host is moved or changed, but for one case on a host with cgroup
// v2 alone: there cpu, memory and pids are switched on for children where the kernel lets us.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "units/hierarchies.h"

namespace agentctl::units {

class PrivateSubtree {
 public:
  // Kind environment, with a reason and what to do, when cgroups cannot be made here.
  [[nodiscard]] static Result<PrivateSubtree> create(const std::string& session_id);
  PrivateSubtree(PrivateSubtree&&) noexcept = default;
  PrivateSubtree& operator=(PrivateSubtree&&) = delete;
  ~PrivateSubtree();

  [[nodiscard]] const std::vector<Hierarchy>& hierarchies() const { return hierarchies_; }
  [[nodiscard]] const std::vector<std::string>& directories() const { return directories_; }  // one a hierarchy
  // Below the mount point of the hierarchy that names cgroups: "/agentctl-private-1a2b3c4d".
  [[nodiscard]] std::string prefix() const;

  // Moves a process to where the manager's own processes are, or, in v1 hierarchies, to the top of the subtree.
  [[nodiscard]] Result<void> adopt(pid_t pid) const;

 private:
  PrivateSubtree() = default;

  std::vector<Hierarchy> hierarchies_;
  std::vector<std::string> directories_;
};

}  // namespace agentctl::units
