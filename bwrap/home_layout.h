// SPDX-License-Identifier: Apache-2.0
// The home inside: an empty one, one of the project's own, or the user's own read-only; and the private places in it,
// ~/.cache and ~/.local/state, which no mode shares with the host. Pure.
//
// It does not protect what the policy shows of the home: which secrets may lie there is said by `hide` alone.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "bwrap/own_directories.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

// Paths that HostFacts::paths must know of besides those that the policy names.
[[nodiscard]] std::vector<std::string> home_path_names(const std::string& home);

// What stands in each directory in which a private place is missing on the host: no mount point may be made there, so
// the directory is shown entry by entry. Reads directories; empty for nearly everyone.
[[nodiscard]] std::map<std::string, std::vector<PathFact>> list_split_directories(const policy::FileSettings& files,
                                                                                  const HostFacts& facts,
                                                                                  PathResolver& resolver);

struct HomePlan {
  OwnDirectories own;
  std::string cache;          // where the caches of tools are inside
  std::string private_place;  // of a home that goes with the session
};

// Before the rules of [files]. private: a tmpfs of at most `tmpfs_bytes`.
[[nodiscard]] Result<HomePlan> add_home(const policy::FileSettings& files, const HostFacts& facts,
                                        std::uint64_t tmpfs_bytes, Layout& layout);
// After them: they may have put something into one of these places.
void add_private_places(const policy::FileSettings& files, const HostFacts& facts, std::uint64_t tmpfs_bytes,
                        Layout& layout, HomePlan& home, std::vector<std::string>& warnings);
// After Layout::arrange(): what has to be in a persistent home before bwrap mounts in it. Copies are made there once,
// so they leave the plan.
void take_mount_points(std::vector<Operation>& operations, const HostFacts& facts, OwnDirectories& own);

}  // namespace agentctl::bwrap
