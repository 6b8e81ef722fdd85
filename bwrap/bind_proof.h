// SPDX-License-Identifier: Apache-2.0
// The proof that what was bound is what was meant. bwrap is given paths, and follows links in them; between looking and
// binding, a session that runs already may have put a link where a directory was. Seen from outside, before the agent
// exists. Sources: proc(5) (mountinfo: major:minor and root), openat2(2).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "bwrap/mount_table.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

// Each bind in a tree that is bound itself. Views of the plan, which outlives it.
class ExpectedBinds {
 public:
  explicit ExpectedBinds(const Plan& plan);

  // Such a bind must show that tree's own file at its place, as pins and protected paths do: the same file system, and
  // the root that the tree around it leads to. Every difference is a sentence. Pure.
  [[nodiscard]] std::vector<std::string> compare_roots(const std::vector<MountEntry>& mounts) const;

 private:
  std::vector<std::string_view> places_;
};

// For a live process: each bind whose identity is known shows that file.
[[nodiscard]] std::vector<std::string> compare_identities(pid_t pid, const Plan& plan);

}  // namespace agentctl::bwrap
