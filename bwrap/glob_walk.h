// SPDX-License-Identifier: Apache-2.0
// One walk through a directory for any number of globs. No link is followed to look for more, and no other file system
// entered, which might be one that never answers. What lies in it may be the agent's, so there is a deadline and a
// bound on what is remembered. Sources: openat2(2), readdir(3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/glob_tree.h"
#include "policy/glob.h"

namespace agentctl::bwrap {

// All of one walk have the same base.
struct WalkedGlob {
  policy::Glob glob;
  std::string rule;          // for errors: "policy.toml:3:9: '**/.env'"
  bool is_built_in = false;  // looks only where default_globs.h says
};

struct WalkResult {
  std::vector<WalkedDirectory> directories;  // what was read, the base first, shallow ones before deep ones
  std::vector<std::vector<GlobHit>> hits;    // of each glob; nothing below another hit of the same
  std::vector<std::string> left_out;         // directories that could not be looked into, and why
};

// Below `base`, canonical. Errors (kind policy) name a rule: the deadline (of monotonic_usec()) or the bound is met.
[[nodiscard]] Result<WalkResult> walk_for_globs(const std::vector<WalkedGlob>& globs, const std::string& base,
                                                std::uint64_t deadline_usec);

}  // namespace agentctl::bwrap
