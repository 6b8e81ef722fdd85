// SPDX-License-Identifier: Apache-2.0
// Paths that somebody else may be changing: opened once with openat2(2), never through a link swapped in meanwhile.
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

// The project directory, held: RESOLVE_NO_SYMLINKS on its canonical name. Refuses what is not a directory.
[[nodiscard]] Result<UniqueFd> hold_directory(const HostPath& canonical);

// Walks `relative` below `root` without following any link; ENOENT stays an errno the caller can tell, a link on the
// way is an Error that names the component.
[[nodiscard]] Result<UniqueFd> open_beneath(int root, const std::string& relative, int flags);

// A program of ours: regular file, owned by root or by us, not writable by others.
[[nodiscard]] Result<UniqueFd> hold_own_program(const HostPath& path);

}  // namespace agentctl::bwrap
