// SPDX-License-Identifier: Apache-2.0
// Which of the places that a policy hides in the project git tracks: hidden, each would be an empty or a missing file
// in the next commit that the agent makes. Only repositories that a session can commit to count: each place belongs to
// the one around it. Git is not run, its files are parsed; nothing here costs anything where nothing is hidden.
// The index is the agent's to write: an entry shows that the agent may see a file only if it holds the very content
// (`unchanged`), which whoever made the entry must have known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

struct TrackedRequest {
  const HostPath& project;                   // canonical
  const std::vector<std::string>& writable;  // directories outside of it that a session may write, canonical
  const std::vector<const PathFact*>& hidden;
};

// By canonical path of the place. What is in neither lies in a repository that the session cannot write, or is an
// untracked directory, which git takes for nothing since it is empty inside.
struct KnownToGit {
  std::map<std::string, TrackedFact> tracked;
  std::map<std::string, UntrackedFact> untracked;
};
[[nodiscard]] KnownToGit find_tracked(const TrackedRequest& request, PathResolver& resolver);

}  // namespace agentctl::bwrap
