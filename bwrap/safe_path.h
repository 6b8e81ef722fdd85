// SPDX-License-Identifier: Apache-2.0
// Paths that somebody else may be changing: opened once with openat2(2), never through a link swapped in meanwhile.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/file_identity.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

// The project directory, held: RESOLVE_NO_SYMLINKS on its canonical name. Refuses what is not a directory.
[[nodiscard]] Result<UniqueFd> hold_directory(const HostPath& canonical);

// Which file stands at a canonical name now, and that no link leads there: opened with O_PATH only.
[[nodiscard]] Result<FileIdentity> identify_file(const HostPath& canonical);

// The content of a file that is copied, opened without following any link.
[[nodiscard]] Result<UniqueFd> open_for_copy(const HostPath& canonical);

// Whatever stands at an absolute path without links, held (O_PATH): what is done to it by descriptor is done to nothing
// else. ENOENT and ELOOP stay errnos that the caller can tell.
[[nodiscard]] Result<UniqueFd> hold_place(const std::string& path);

// Walks `relative` below `root` without following any link; ENOENT stays an errno the caller can tell, a link on the
// way is an Error that names the component.
[[nodiscard]] Result<UniqueFd> open_beneath(int root, const std::string& relative, int flags);

// A directory below `root` in the same mount, to be read; no link is followed. EXDEV: another file system.
[[nodiscard]] Result<UniqueFd> open_directory_beneath(int root, const std::string& relative);

// A regular file, read by its canonical name: no link is followed, a FIFO or a device is never waited for, and more
// than `limit` bytes are an Error (EFBIG).
[[nodiscard]] Result<std::string> read_regular_file(const HostPath& canonical, std::size_t limit);
[[nodiscard]] Result<std::string> read_regular_file_beneath(int root, const std::string& relative, std::size_t limit);
// The same with links followed, as a process whose root is `root` would; not those of /proc that lead out of it.
[[nodiscard]] Result<UniqueFd> open_in_root(int root, const std::string& path, int flags);

// A program of ours: regular file, owned by root or by us, not writable by others.
[[nodiscard]] Result<UniqueFd> hold_own_program(const HostPath& path);

}  // namespace agentctl::bwrap
