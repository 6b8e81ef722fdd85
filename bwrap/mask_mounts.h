// SPDX-License-Identifier: Apache-2.0
// The mounts that put an empty thing in place of a hidden one, made in a sandbox from outside: call these in its mount
// namespace only (mount_helper.h). Every mask is a bind of one file or one directory of a small read-only tmpfs, which
// stays at kMaskSource for masks that are needed later. Nothing is ever made at the place of a mask, and no link is
// followed on the way to it.
// Against a host process that replaces what is masked afterwards, a mask alone does not help: a mount stands on the
// file, not on its name. Sources: open_tree(2), move_mount(2), openat2(2), mount_namespaces(7).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

inline constexpr const char* kMaskSource = "/run/agentctl/.empty";
inline constexpr const char* kMaskFile = "/file";            // in kMaskSource
inline constexpr const char* kMaskDirectory = "/directory";  // in kMaskSource

// The file and the directory, held where they lie.
struct MaskSource {
  UniqueFd root;  // of the tmpfs
  UniqueFd file;
  UniqueFd directory;
  dev_t device = 0;
};
// Mounts the tmpfs on top of a directory: kMaskSource, which bwrap has made, in a sandbox.
[[nodiscard]] Result<MaskSource> make_mask_source(const std::string& place);
// Mounts one that was made elsewhere (mount_tree.h) at kMaskSource.
[[nodiscard]] Result<MaskSource> attach_mask_source(const UniqueFd& tree);

// What stands at `path`, held. ENOENT: nothing; ELOOP: a link on the way.
[[nodiscard]] Result<UniqueFd> open_place(const std::string& path);

// open_place() for one path after another: the directory that they share is walked to once, and held meanwhile.
class PlaceOpener {
 public:
  [[nodiscard]] Result<UniqueFd> open(const std::string& path);
  // The directory that a path lies in, as long as no other one is asked for.
  [[nodiscard]] Result<int> open_directory_of(const std::string& path);
  // Whether the name itself shows something of that file system.
  [[nodiscard]] bool shows(const std::string& path, dev_t device);

 private:
  [[nodiscard]] Result<void> enter(std::string_view directory);
  std::string directory_;
  UniqueFd fd_;
};

// Covers what is held. ENOTDIR or EISDIR when it is not of that type. `path` is for the words of an error.
[[nodiscard]] Result<void> mask(const std::string& path, const UniqueFd& place, const MaskSource& source,
                                bool directory);
// Mounts a held file on top of one. ELOOP: it is a link.
[[nodiscard]] Result<void> cover_file(const std::string& path, const UniqueFd& place, const UniqueFd& file);
// Mounts what is held over itself, with whatever is mounted in it. ELOOP: it is a link.
[[nodiscard]] Result<void> pin(const std::string& path, const UniqueFd& place, bool read_only);

}  // namespace agentctl::bwrap
