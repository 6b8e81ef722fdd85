// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_tree.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {

CollapsedHits collapse_hits(const std::vector<WalkedDirectory>& directories, std::vector<GlobHit> hits,
                            const std::vector<std::string>& kept) {
  std::vector<std::size_t> matched(directories.size(), 0);
  for (const GlobHit& hit : hits) ++matched[hit.directory];
  const auto is_full = [&](std::size_t at) {
    const WalkedDirectory& directory = directories[at];
    return directory.is_read && directory.entries > 0 && matched[at] == directory.entries;
  };
  const auto holds_one = [&](const std::string& path) {
    return std::any_of(kept.begin(), kept.end(), [&](const std::string& one) { return starts_with_path(one, path); });
  };
  // From the deepest up: a directory that is full is a match of its parent.
  for (std::size_t at = directories.size(); at-- > 1;) {
    if (is_full(at)) ++matched[directories[at].parent];
  }
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> stands_for(directories.size(), kNone);
  for (std::size_t at = 0; at < directories.size(); ++at) {
    stands_for[at] = at == 0 ? kNone : stands_for[directories[at].parent];
    if (stands_for[at] == kNone && is_full(at) && !holds_one(directories[at].path)) stands_for[at] = at;
  }
  CollapsedHits collapsed;
  std::vector<std::size_t> counts(directories.size(), 0);
  for (GlobHit& hit : hits) {
    const std::size_t top = stands_for[hit.directory];
    if (top == kNone) {
      collapsed.hits.push_back(std::move(hit));
    } else {
      ++counts[top];
    }
  }
  for (std::size_t at = 0; at < directories.size(); ++at) {
    if (counts[at] > 0) collapsed.directories.push_back({directories[at].path, counts[at]});
  }
  return collapsed;
}

}  // namespace agentctl::bwrap
