// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mount_tree.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/file.h"

namespace agentctl::bwrap {

Result<UniqueFd> clone_tree(const UniqueFd& place, bool directory) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | (directory ? AT_RECURSIVE : 0U);
  UniqueFd tree(::open_tree(place.get(), "", flags));
  if (!tree.valid()) return errno_error("open_tree");
  return tree;
}

Result<void> make_read_only(const UniqueFd& tree) {
  struct mount_attr wanted {};
  wanted.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) != 0) {
    return errno_error("mount_setattr");
  }
  return {};
}

Result<void> attach_tree(const UniqueFd& tree, const UniqueFd& place) {
  const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
  if (::move_mount(tree.get(), "", place.get(), "", flags) != 0) return errno_error("move_mount");
  return {};
}

Result<void> forbid_devices(const UniqueFd& tree) {
  struct mount_attr wanted {};
  wanted.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (::mount_setattr(tree.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) != 0) {
    return errno_error("mount_setattr");
  }
  return {};
}

Result<UniqueFd> make_tmpfs(std::initializer_list<std::pair<const char*, const char*>> options) {
  const UniqueFd context(::fsopen("tmpfs", FSOPEN_CLOEXEC));
  if (!context.valid()) return errno_error("fsopen");
  for (const auto& [name, value] : options) {
    if (::fsconfig(context.get(), FSCONFIG_SET_STRING, name, value, 0) != 0) return errno_error("fsconfig");
  }
  if (::fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) return errno_error("fsconfig");
  UniqueFd mount(::fsmount(context.get(), FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV));
  if (!mount.valid()) return errno_error("fsmount");
  return mount;
}

Result<void> seal_file_system(const UniqueFd& mount) {
  const UniqueFd context(::fspick(mount.get(), "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH));
  if (!context.valid()) return errno_error("fspick");
  if (::fsconfig(context.get(), FSCONFIG_SET_FLAG, "ro", nullptr, 0) != 0 ||
      ::fsconfig(context.get(), FSCONFIG_CMD_RECONFIGURE, nullptr, nullptr, 0) != 0) {
    return errno_error("fsconfig");
  }
  return {};
}

namespace {

constexpr const char* kEmptyBytes = "4096";
constexpr std::uint64_t kMostCopied = 64ULL << 20;
constexpr const char* kCopyBytes = "128M";  // room for what the session adds
constexpr std::size_t kPartBytes = 1U << 16;

Result<UniqueFd> clone_read_only(const UniqueFd& tmpfs, const char* name, bool directory) {
  const UniqueFd place = AGENTCTL_TRY(open_at(tmpfs.get(), name, O_PATH));
  UniqueFd tree = AGENTCTL_TRY(clone_tree(place, directory));
  AGENTCTL_TRY_VOID(make_read_only(tree));
  return tree;
}

// Only what is attached in one's own namespace can be cloned, and in the sandbox it would be seen.
Result<void> attach_unseen(const UniqueFd& tmpfs) {
  if (::unshare(CLONE_NEWNS) != 0) return errno_error("unshare");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return errno_error("mount");
  const UniqueFd root = AGENTCTL_TRY(open_at(AT_FDCWD, "/", O_PATH));
  return attach_tree(tmpfs, root);
}

Result<void> copy_content(int from, int to) {
  std::array<char, kPartBytes> part;
  std::uint64_t copied = 0;
  while (true) {
    const ssize_t count = ::pread(from, part.data(), part.size(), static_cast<off_t>(copied));
    if (count < 0) return errno_error("pread");
    if (count == 0) return {};
    copied += static_cast<std::uint64_t>(count);
    if (copied > kMostCopied) return errno_error(EFBIG, "pread");
    if (::write(to, part.data(), static_cast<std::size_t>(count)) != count) return errno_error("write");
  }
}

}  // namespace

Result<UniqueFd> make_copy_tree(int content) {
  const UniqueFd tmpfs = AGENTCTL_TRY(make_tmpfs({{"size", kCopyBytes}}));
  const UniqueFd file(::openat(tmpfs.get(), "copy", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error("tmpfs");
  AGENTCTL_TRY_VOID(copy_content(content, file.get()));
  AGENTCTL_TRY_VOID(attach_unseen(tmpfs));
  return clone_tree(AGENTCTL_TRY(open_at(tmpfs.get(), "copy", O_PATH)), false);
}

Result<EmptyTrees> make_empty_trees() {
  const UniqueFd tmpfs = AGENTCTL_TRY(make_tmpfs({{"size", kEmptyBytes}}));
  const UniqueFd file(::openat(tmpfs.get(), "file", O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0400));
  if (!file.valid() || ::mkdirat(tmpfs.get(), "directory", 0500) != 0) return errno_error("tmpfs");
  AGENTCTL_TRY_VOID(attach_unseen(tmpfs));
  EmptyTrees trees;
  trees.file = AGENTCTL_TRY(clone_read_only(tmpfs, "file", false));
  trees.directory = AGENTCTL_TRY(clone_read_only(tmpfs, "directory", true));
  return trees;
}

}  // namespace agentctl::bwrap
