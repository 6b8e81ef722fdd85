// SPDX-License-Identifier: Apache-2.0
// The mounts that put an empty thing in place of a hidden one, made in a sandbox from outside: call these in its mount
// namespace only (mount_helper.h). Every mask is a bind of one file or one directory of a small read-only tmpfs, which
// stays at kMaskSource for masks that are needed later. Nothing is ever made at the place of a mask, and no link is
// followed on the way to it.
// Against a host process that replaces what is masked afterwards, a mask alone does not help: a mount stands on the
// file, not on its name. Sources: open_tree(2), move_mount(2), openat2(2), mount_namespaces(7).
#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

inline constexpr const char* kMaskSource = "/run/agentctl/.empty";
inline constexpr const char* kMaskFile = "/file";            // in kMaskSource
inline constexpr const char* kMaskDirectory = "/directory";  // in kMaskSource

// The file and the directory, held where they lie.
struct MaskSource {
  UniqueFd file;
  UniqueFd directory;
};
// Mounts the tmpfs at kMaskSource, which bwrap has made as an empty directory.
[[nodiscard]] Result<MaskSource> make_mask_source();

// What stands at `path`, held. ENOENT: nothing; ELOOP: a link on the way.
[[nodiscard]] Result<UniqueFd> open_place(const std::string& path);

// Covers what is held. ENOTDIR or EISDIR when it is not of that type. `path` is for the words of an error.
[[nodiscard]] Result<void> mask(const std::string& path, const UniqueFd& place, const MaskSource& source,
                                bool directory);
// Mounts the held directory over itself, with whatever is mounted in it.
[[nodiscard]] Result<void> pin(const std::string& path, const UniqueFd& place);

}  // namespace agentctl::bwrap
