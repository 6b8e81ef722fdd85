// SPDX-License-Identifier: Apache-2.0
// One walk through a directory for any number of globs. No link is followed to look for more, and no other file system
// entered, which might be one that never answers. What lies in it may be the agent's, so there is a deadline and a
// bound on what is remembered. Sources: openat2(2), readdir(3).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/glob_set.h"
#include "bwrap/glob_tree.h"

namespace agentctl::bwrap {

struct WalkResult {
  std::vector<WalkedDirectory> directories;  // what was read, the base first, shallow ones before deep ones
  std::vector<std::vector<GlobHit>> hits;    // of each glob; nothing below another hit of the same
  std::vector<std::string> left_out;         // directories that could not be looked into, and why
};

struct WalkStart {
  int root = -1;            // the base, held
  const std::string& base;  // its path, canonical
  std::string below;        // the base: where to start, "" for itself
  GlobSet::Going going;     // the globs that may match there
};
// Told of each directory once it is open and before it is read; false leaves it unread.
using BeforeReading = std::function<Result<bool>(const std::string& path, const UniqueFd& directory)>;

// Errors (kind policy) name a rule: the deadline (of monotonic_usec()) or the bound is met.
[[nodiscard]] Result<WalkResult> walk_for_globs(const GlobSet& globs, const WalkStart& start,
                                                std::uint64_t deadline_usec, const BeforeReading& before);
// All that lies below `base`, canonical.
[[nodiscard]] Result<WalkResult> walk_for_globs(const GlobSet& globs, const std::string& base,
                                                std::uint64_t deadline_usec);

}  // namespace agentctl::bwrap
