// SPDX-License-Identifier: Apache-2.0
// What [files] hide and protect come to on the host: what the globs match, by which other names a hidden file can be
// read, and what of it git tracks.
#pragma once

#include "base/result.h"
#include "bwrap/glob_watch.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Fills facts.globs, protected_globs, other_names, tracked, untracked and ignore_list; needs home, project, paths, git.
// Refuses globs that match too much. `watch`, if given, goes on to look for what the globs of `hide` match.
[[nodiscard]] Result<void> look_at_hidden_places(const policy::FileSettings& files, HostFacts& facts,
                                                 PathResolver& resolver, GlobWatch* watch);

}  // namespace agentctl::bwrap
