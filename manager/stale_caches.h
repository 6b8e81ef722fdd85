// SPDX-License-Identifier: Apache-2.0
// The caches that sessions leave in the state directory, one for a project: those of projects that are gone are removed
// some time after their last use. A project on a disk that is not attached counts as gone; it loses a cache, no more.
// Homes that are kept are never removed: what is in them may be all that is left of somebody's work.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace agentctl::manager {

inline constexpr std::uint64_t kCacheKeptUsec = 30ULL * 24 * 3600 * 1'000'000;

struct StaleCacheRequest {
  std::string directory;  // with a cache of each project, by bwrap::name_of_path()
  std::uint64_t now_usec = 0;
  std::uint64_t longest_usec = 200'000;  // what is not done by then is left for another session's end
  // Whether a project's directory may be looked at without waiting, and no session runs in it. Asked of old ones only.
  std::function<bool(const std::string& project)> may_look;
};
// For a session's end: whatever fails is left where it is.
void remove_stale_caches(const StaleCacheRequest& request);

}  // namespace agentctl::manager
