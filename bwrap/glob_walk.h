// SPDX-License-Identifier: Apache-2.0
// What the globs of [files] hide match on the host, when a session starts. What comes to match later is not looked for.
// Only below the directory before the first wildcard, which must lie in the project or the home. No link is followed to
// look for more, and no other file system entered, which might be one that never answers. One deadline and one count of
// matches hold for all globs together, since the files are the agent's. Sources: openat2(2), readdir(3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/path_resolution.h"
#include "policy/glob.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Whether an entry is to be read as a glob. One without a wildcard after all is a path whose "\[" means "[".
[[nodiscard]] bool has_glob(const std::string& entry);

struct GlobBounds {
  std::uint64_t deadline_usec = 0;  // of monotonic_usec()
  std::size_t matches = 0;
};

struct GlobMatches {
  std::vector<std::string> paths;     // sorted; nothing below another one
  std::vector<std::string> left_out;  // directories that could not be looked into, and why
};

// Below `base`, canonical. Refuses (kind policy) when a bound is met.
[[nodiscard]] Result<GlobMatches> find_matches(const policy::Glob& glob, const std::string& base,
                                               const GlobBounds& bounds);

struct GlobPlaces {
  std::string home;  // as the user names it
  std::string project;
};
// By the text of the entry. `home` and `project` may have names that look like globs: they are none.
[[nodiscard]] Result<std::map<std::string, GlobFact>> look_up_globs(const policy::Entries& entries,
                                                                    const GlobPlaces& places, PathResolver& resolver);

}  // namespace agentctl::bwrap
