// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mask_mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/mount_tree.h"
#include "bwrap/path_resolution.h"
#include "bwrap/plan.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kNoSource = "cannot make the empty file and directory that stand for what is hidden";
constexpr const char* kChanged = "it changed on the host meanwhile";

Result<MaskSource> hold_source(UniqueFd root) {
  MaskSource source;
  source.root = std::move(root);
  source.file = AGENTCTL_TRY(open_at(source.root.get(), kMaskFile + 1, O_PATH | O_NOFOLLOW));
  source.directory = AGENTCTL_TRY(open_at(source.root.get(), kMaskDirectory + 1, O_PATH | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(source.file.get(), &status) != 0) return errno_error(kNoSource);
  source.device = status.st_dev;
  return source;
}

// What `source` shows, on top of what stands at `path`.
Result<void> cover(const std::string& path, const UniqueFd& place, const UniqueFd& source, bool directory,
                   bool read_only = false) {
  const auto attach = [&]() -> Result<void> {
    const UniqueFd tree = AGENTCTL_TRY(clone_tree(source, directory));
    if (read_only) AGENTCTL_TRY_VOID(make_read_only(tree));
    return attach_tree(tree, place);
  };
  return with_context(cat("cannot mount at '", printable(path), "'"), attach());
}

// Without asking a server: what does not answer is covered for that.
Result<mode_t> type_of(const std::string& path, const UniqueFd& place) {
  struct statx status {};
  constexpr int kFlags = AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  if (::statx(place.get(), "", kFlags, STATX_TYPE, &status) != 0) {
    return errno_error(cat("cannot examine '", printable(path), "'"));
  }
  return mode_t{status.stx_mode};
}

Result<void> prove_no_link(const std::string& path, const UniqueFd& place) {
  if (!S_ISLNK(AGENTCTL_TRY(type_of(path, place)))) return {};
  return errno_error(ELOOP, cat(kChanged, ": cannot mount at '", printable(path), "'"));
}

}  // namespace

Result<MaskSource> make_mask_source(const std::string& place) {
  const auto make = [&]() -> Result<UniqueFd> {
    UniqueFd tmpfs = AGENTCTL_TRY(make_tmpfs({{"size", "4k"}, {"nr_inodes", "8"}, {"mode", "0555"}}));
    if (::mknodat(tmpfs.get(), kMaskFile + 1, S_IFREG | kMaskFileMode, 0) != 0) return errno_error("mknod");
    if (::mkdirat(tmpfs.get(), kMaskDirectory + 1, kMaskDirectoryMode) != 0) return errno_error("mkdir");
    AGENTCTL_TRY_VOID(seal_file_system(tmpfs));
    AGENTCTL_TRY_VOID(make_read_only(tmpfs));
    const UniqueFd at = AGENTCTL_TRY(open_at(AT_FDCWD, place, O_PATH | O_DIRECTORY));
    AGENTCTL_TRY_VOID(attach_tree(tmpfs, at));
    return tmpfs;
  };
  return hold_source(AGENTCTL_TRY(with_context(kNoSource, make())));
}

Result<MaskSource> attach_mask_source(const UniqueFd& tree) {
  const UniqueFd at = AGENTCTL_TRY(open_at(AT_FDCWD, kMaskSource, O_PATH | O_DIRECTORY));
  AGENTCTL_TRY_VOID(with_context(kNoSource, attach_tree(tree, at)));
  return hold_source(AGENTCTL_TRY(open_at(AT_FDCWD, kMaskSource, O_PATH | O_DIRECTORY)));
}

Result<UniqueFd> open_place(const std::string& path) { return with_context(kChanged, hold_place(path)); }

Result<void> PlaceOpener::enter(std::string_view directory) {
  if (fd_.valid() && directory == directory_) return {};
  fd_.reset();
  directory_ = directory;
  fd_ = AGENTCTL_TRY(open_place(directory_));
  return {};
}

Result<int> PlaceOpener::open_directory_of(const std::string& path) {
  AGENTCTL_TRY_VOID(enter(parent_of(path)));
  return fd_.get();
}

Result<UniqueFd> PlaceOpener::open(const std::string& path) {
  AGENTCTL_TRY_VOID(enter(parent_of(path)));
  return with_context(kChanged, open_beneath(fd_.get(), path.substr(path.rfind('/') + 1), O_PATH));
}

bool PlaceOpener::shows(const std::string& path, dev_t device) {
  struct stat status {};
  return enter(parent_of(path)).has_value() &&
         ::fstatat(fd_.get(), path.c_str() + path.rfind('/') + 1, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) ==
             0 &&
         status.st_dev == device;
}

Result<void> mask(const std::string& path, const UniqueFd& place, const MaskSource& source, bool directory) {
  if (S_ISDIR(AGENTCTL_TRY(type_of(path, place))) != directory) {
    return errno_error(directory ? ENOTDIR : EISDIR, cat("cannot hide '", printable(path), "'"));
  }
  return cover(path, place, directory ? source.directory : source.file, directory);
}

Result<void> cover_file(const std::string& path, const UniqueFd& place, const UniqueFd& file) {
  AGENTCTL_TRY_VOID(prove_no_link(path, place));
  return cover(path, place, file, false);
}

Result<void> pin(const std::string& path, const UniqueFd& place, bool read_only) {
  AGENTCTL_TRY_VOID(prove_no_link(path, place));
  return cover(path, place, place, true, read_only);
}

}  // namespace agentctl::bwrap
