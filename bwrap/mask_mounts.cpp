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
#include "bwrap/plan.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr unsigned long kSourceFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;

// What `source` shows, on top of what stands at `path`.
Result<void> cover(const std::string& path, const UniqueFd& place, const UniqueFd& source, bool directory) {
  const auto tree = clone_tree(source, directory);
  Result<void> attached = tree ? attach_tree(*tree, place) : Result<void>(tree.error());
  if (attached) return {};
  return with_context(cat("cannot mount at '", printable(path), "'"), std::move(attached));
}

}  // namespace

Result<MaskSource> make_mask_source() {
  const std::string file = cat(kMaskSource, kMaskFile);
  const std::string directory = cat(kMaskSource, kMaskDirectory);
  if (::mount("tmpfs", kMaskSource, "tmpfs", kSourceFlags, "size=4k,nr_inodes=8,mode=0555") != 0 ||
      ::mknod(file.c_str(), S_IFREG | kMaskFileMode, 0) != 0 || ::mkdir(directory.c_str(), kMaskDirectoryMode) != 0 ||
      ::mount(nullptr, kMaskSource, nullptr, MS_REMOUNT | MS_RDONLY | kSourceFlags, nullptr) != 0) {
    return errno_error("cannot make the empty file and directory that stand for what is hidden");
  }
  MaskSource source;
  source.file = AGENTCTL_TRY(open_at(AT_FDCWD, file, O_PATH));
  source.directory = AGENTCTL_TRY(open_at(AT_FDCWD, directory, O_PATH));
  return source;
}

Result<UniqueFd> open_place(const std::string& path) {
  return with_context("it changed on the host meanwhile", hold_place(path));
}

Result<void> mask(const std::string& path, const UniqueFd& place, const MaskSource& source, bool directory) {
  struct stat status {};
  if (::fstat(place.get(), &status) != 0) return errno_error(cat("cannot examine '", printable(path), "'"));
  if (S_ISDIR(status.st_mode) != directory) {
    return errno_error(directory ? ENOTDIR : EISDIR, cat("cannot hide '", printable(path), "'"));
  }
  return cover(path, place, directory ? source.directory : source.file, directory);
}

Result<void> pin(const std::string& path, const UniqueFd& place) { return cover(path, place, place, true); }

}  // namespace agentctl::bwrap
