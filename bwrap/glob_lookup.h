// SPDX-License-Identifier: Apache-2.0
// What the globs of [files] match on the host, when a session starts.
// Only below the directory before the first wildcard, which must lie in the project or the home. The deadline and the
// count of matches hold for all globs of a list together. Where more match than can be mounted, a directory in which
// everything matches is taken as a whole; see glob_walk.h for what is looked at.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "bwrap/glob_watch.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

inline constexpr std::uint64_t kLongestGlobLookUsec = 2'000'000;
inline constexpr std::size_t kMostGlobMatches = 4000;

// Whether an entry is to be read as a glob. One without a wildcard after all is a path whose "\[" means "[".
[[nodiscard]] bool has_glob(const std::string& entry);

// For people: "policy.toml:3:9: '**/.env'".
[[nodiscard]] std::string rule_of_glob(const policy::Entry& entry);

struct GlobPlaces {
  std::string home;  // as the user names it
  std::string project;
};
struct GlobBounds {
  std::uint64_t deadline_usec = 0;  // of monotonic_usec()
  std::size_t matches = kMostGlobMatches;
};

// By the text of the entry. `home` and `project` may have names that look like globs: they are none. Errors are of kind
// policy and name the rule. `watch`, if given, goes on to look for what the user's own globs match; not for those of
// the built-in default, under which git may write what it tracks: masked, the next commit would empty it.
[[nodiscard]] Result<std::map<std::string, GlobFact>> look_up_globs(const policy::Entries& entries,
                                                                    const GlobPlaces& places, const GlobBounds& bounds,
                                                                    PathResolver& resolver, GlobWatch* watch = nullptr);

}  // namespace agentctl::bwrap
