// SPDX-License-Identifier: Apache-2.0
// Mounts that are in no place yet, by the calls that take descriptors in place of paths. The caller is in the mount
// namespace for which they are meant, and may mount there. Sources: open_tree(2), move_mount(2), mount_setattr(2),
// fsopen(2), fsmount(2), fspick(2).
#pragma once

#include <initializer_list>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

// What `place` (O_PATH) shows, as a mount of its own; a directory with the mounts below it.
[[nodiscard]] Result<UniqueFd> clone_tree(const UniqueFd& place, bool directory);
[[nodiscard]] Result<void> make_read_only(const UniqueFd& tree);
// No device node and no set-user-ID bit counts in it: as bwrap binds.
[[nodiscard]] Result<void> forbid_devices(const UniqueFd& tree);
// On top of what `place` shows: a directory on a directory, a file on a file or link.
[[nodiscard]] Result<void> attach_tree(const UniqueFd& tree, const UniqueFd& place);

// Device nodes and set-user-ID bits do not count in it. Options as in tmpfs(5).
[[nodiscard]] Result<UniqueFd> make_tmpfs(std::initializer_list<std::pair<const char*, const char*>> options);
// The file system itself becomes read-only, wherever it is mounted.
[[nodiscard]] Result<void> seal_file_system(const UniqueFd& mount);

struct EmptyTrees {
  UniqueFd file;       // of no bytes, 0400
  UniqueFd directory;  // 0500
};
// A file of what can be read of `content` (64 MiB at most), its owner's to write. As below.
[[nodiscard]] Result<UniqueFd> make_copy_tree(int content);
// Read-only. Made in a mount namespace that this process enters for the purpose: it has to go back to its own.
[[nodiscard]] Result<EmptyTrees> make_empty_trees();

}  // namespace agentctl::bwrap
