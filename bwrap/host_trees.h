// SPDX-License-Identifier: Apache-2.0
// HostTrees: where inside the host's own files are seen at their own paths. What the host makes there is there inside,
// too. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

// Whether it shows a tree of the host's at the tree's own path.
[[nodiscard]] bool is_host_tree(const Operation& operation);

class HostTrees {
 public:
  explicit HostTrees(const Plan& plan);

  // Whether what appears in that directory of the host's appears inside.
  [[nodiscard]] bool show_directory(const std::string& path) const;
  // Whether such a tree lies deeper in it.
  [[nodiscard]] bool are_below(const std::string& path) const;
  // Whether what stands at `path` is of the host's, and the plan has nothing to say of that very path.
  [[nodiscard]] bool show_new(const std::string& path) const;
  // The outermost such tree around a path that lies in one.
  [[nodiscard]] std::string root_of(const std::string& path) const;
  // The directories above a path, deep ones first, up to the nearest of which the plan has something to say.
  [[nodiscard]] std::vector<std::string> directories_above(const std::string& path) const;

 private:
  std::map<std::string, bool> is_tree_;  // by destination
};

}  // namespace agentctl::bwrap
