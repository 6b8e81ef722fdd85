// SPDX-License-Identifier: Apache-2.0
// Which repository a project's `.git` file leads to, proven in both directions. The project is the agent's to write, so
// a `.git` file proves nothing by itself: what it names must name the project in return, in a file that lies outside of
// the project:
//   a linked worktree  COMMON/worktrees/ID/gitdir names the `.git` file, and ID's commondir is COMMON
//   a submodule        core.worktree in the gitdir's own config (no include is followed) names the project
// Both directories must look like git's and belong to the caller. What this does not tell: whether the user still wants
// a working tree there; a stale entry of a repository that once had one at this very place is a proof, too.
// Nothing of git is run, no link in the project is followed, and every file read is a regular one of bounded size.
// Sources: gitrepository-layout(5), git-worktree(1), git-submodule(1).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/file_identity.h"
#include "bwrap/path_resolution.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

struct GitRepository {
  HostPath gitdir;              // of this working tree alone
  HostPath common;              // what all working trees share; the same directory where there is only one
  FileIdentity identity;        // of `common`: the directory in which the proof was read, not just its name
  std::vector<PathFact> named;  // what the pointers say, links and all
};

// `project` is canonical and holds a regular `.git` file. Within the project no proof is needed, and nothing outside
// may be reached from there. Errors (kind policy or system) say what did not hold, as a fragment.
[[nodiscard]] Result<GitRepository> prove_repository(const HostPath& project, PathResolver& resolver);

// A directory with HEAD, objects and refs.
[[nodiscard]] bool looks_like_repository(const std::string& directory, PathResolver& resolver);

}  // namespace agentctl::bwrap
