// SPDX-License-Identifier: Apache-2.0
#include "bwrap/mount_helper.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "base/parent_death.h"
#include "base/text.h"
#include "bwrap/mask_mounts.h"
#include "bwrap/mask_trees.h"

namespace agentctl::bwrap {
namespace {

constexpr int kDeadlineMsec = 2000;

Result<void> enter(const UniqueFd& mount_namespace) {
  const UniqueFd owner(::ioctl(mount_namespace.get(), NS_GET_USERNS));
  if (owner.get() < 0) return errno_error("cannot find the user namespace of the sandbox's mounts");
  if (::setns(owner.get(), CLONE_NEWUSER) != 0) return errno_error("cannot enter the sandbox's user namespace");
  if (::setns(mount_namespace.get(), CLONE_NEWNS) != 0) return errno_error("cannot enter the sandbox's mounts");
  return {};
}

Result<void> make_parents(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (::mkdir(parent.c_str(), 0755) != 0 && errno != EEXIST) {
      return errno_error(cat("cannot make '", printable(parent), "' in the sandbox"));
    }
  }
  return {};
}

Result<void> make_mount_point(const std::string& path, bool directory) {
  const auto make = [&] { return directory ? ::mkdir(path.c_str(), 0755) : ::mknod(path.c_str(), S_IFREG | 0444, 0); };
  int made = make();
  if (made != 0 && errno == ENOENT) {
    AGENTCTL_TRY_VOID(make_parents(path));
    made = make();
  }
  if (made != 0 && errno != EEXIST) return errno_error(cat("cannot make '", printable(path), "' in the sandbox"));
  return {};
}

// MS_REC: the kernel refuses to separate a tree from mounts that came along with it from the host.
Result<void> bind_mount(const std::string& source, const std::string& destination) {
  struct stat status {};
  if (::lstat(source.c_str(), &status) != 0) {
    return errno_error(cat("cannot show '", printable(destination), "': it changed on the host meanwhile"));
  }
  AGENTCTL_TRY_VOID(make_mount_point(destination, S_ISDIR(status.st_mode)));
  if (S_ISLNK(status.st_mode) ||
      ::mount(source.c_str(), destination.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return errno_error(S_ISLNK(status.st_mode) ? ELOOP : errno, cat("cannot show '", printable(destination), "'"));
  }
  return {};
}

Result<void> place_binds(const LateTree& tree) {
  const std::string source = tree.source();
  for (const std::string& destination : tree.binds) {
    AGENTCTL_TRY_VOID(bind_mount(source + destination.substr(tree.root.size()), destination));
  }
  if (::umount2(source.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0 || ::rmdir(source.c_str()) != 0) {
    return errno_error(cat("cannot take the host's '", printable(tree.root), "' out of the sandbox"));
  }
  return {};
}

Result<void> place_copy(const MountInPlace& mount, const UniqueFd& place) {
  const UniqueFd copy = AGENTCTL_TRY(open_place(mount.source));
  AGENTCTL_TRY_VOID(cover_file(mount.path, place, copy));
  if (::unlink(mount.source.c_str()) != 0) return errno_error(cat("cannot remove '", mount.source, "'"));
  return {};
}

Result<void> place_in_place(const LateMounts& mounts, MaskTrees& mask_trees) {
  MaskSource source;
  if (mounts.has_masks()) source = AGENTCTL_TRY(mask_trees.attach());
  const auto came_along = [&](const MountInPlace& mount, PlaceOpener& places) {
    if (mount.kind == InPlace::copy || !mask_trees.hold(mount.path)) return false;
    return mount.kind != InPlace::mask || places.shows(mount.path, source.device);
  };
  PlaceOpener places;
  bool has_copies = false;
  for (const MountInPlace& mount : mounts.in_place()) {
    if (came_along(mount, places)) continue;
    const UniqueFd place = AGENTCTL_TRY(places.open(mount.path));
    switch (mount.kind) {
      case InPlace::mask:
        AGENTCTL_TRY_VOID(mask(mount.path, place, source, mount.directory));
        break;
      case InPlace::pin:
      case InPlace::read_only:
        AGENTCTL_TRY_VOID(pin(mount.path, place, mount.kind == InPlace::read_only));
        break;
      case InPlace::copy:
        AGENTCTL_TRY_VOID(place_copy(mount, place));
        has_copies = true;
        break;
    }
  }
  if (has_copies && ::rmdir(kCopySource) != 0) return errno_error(cat("cannot remove '", kCopySource, "'"));
  return {};
}

// The other flags of a mount stay as they are.
Result<void> seal(const LateMounts& mounts) {
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  for (const std::string& place : mounts.seals()) {
    if (::mount_setattr(AT_FDCWD, place.c_str(), AT_SYMLINK_NOFOLLOW, &read_only, sizeof read_only) != 0) {
      return errno_error(cat("cannot make '", printable(place), "' read-only"));
    }
  }
  return {};
}

constexpr const char* kDone = "ok";
constexpr int kSocket = 3;

Result<void> work(pid_t inside, pid_t parent, const LateMounts& mounts, MaskTrees& mask_trees) {
  const std::string path = cat("/proc/", inside, "/ns/mnt");
  const UniqueFd mount_namespace(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (mount_namespace.get() < 0) return errno_error(cat("cannot open '", path, "'"));
  AGENTCTL_TRY_VOID(enter(mount_namespace));
  die_with(parent);  // once more: the change of credentials forgets it
  // bwrap lets the host's later mounts in, and those would be writable also where a bind is read-only.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return errno_error("cannot keep the host's later mounts out of the sandbox");
  }
  ::umask(022);
  for (const LateTree& tree : mounts.trees()) AGENTCTL_TRY_VOID(place_binds(tree));
  AGENTCTL_TRY_VOID(place_in_place(mounts, mask_trees));
  return seal(mounts);
}

[[noreturn]] void run(pid_t parent, int socket, const LateMounts& mounts) {
  // What it would hold open besides, somebody else waits to see closed.
  if (::dup2(socket, kSocket) < 0 || ::syscall(SYS_close_range, kSocket + 1, ~0U, 0) != 0) ::_exit(1);
  MaskTrees mask_trees = MaskTrees::prepare(mounts, ::getpid());
  pid_t inside = 0;
  if (::read(kSocket, &inside, sizeof inside) != sizeof inside) ::_exit(0);  // it is not needed
  const Result<void> done = work(inside, parent, mounts, mask_trees);
  const std::string text = done ? kDone : done.error().message;
  (void)!::write(kSocket, text.data(), text.size());
  mask_trees.reap();
  ::_exit(0);
}

Result<std::string> read_answer(const UniqueFd& socket) {
  pollfd ready{socket.get(), POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, kDeadlineMsec);
  } while (count < 0 && errno == EINTR);
  if (count == 0) return errno_error(ETIMEDOUT, "the mounts of the sandbox were not made in time");
  char text[4096];
  const ssize_t length = ::read(socket.get(), text, sizeof text);
  if (length <= 0) return make_error(ErrorKind::internal, "the mount helper ended without a word");
  return std::string(text, static_cast<std::size_t>(length));
}

}  // namespace

Result<MountHelper> MountHelper::fork(const LateMounts& mounts) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return errno_error("cannot make a socket pair");
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t parent = ::getpid();
  ChildProcess process = AGENTCTL_TRY(ChildProcess::fork([&] { run(parent, theirs.get(), mounts); }));
  return MountHelper(std::move(process), std::move(ours));
}

Result<void> MountHelper::begin(pid_t inside) {
  if (::send(socket_.get(), &inside, sizeof inside, MSG_NOSIGNAL) != sizeof inside) {
    return errno_error("cannot speak to the mount helper");
  }
  return {};
}

Result<void> MountHelper::finish() {
  const auto text = read_answer(socket_);
  if (text && *text == kDone) return {};
  process_.kill();
  if (!text) return text.error();
  return make_error(ErrorKind::environment, *text);
}

// One that was not asked to begin ends by that; one at work is not interrupted.
MountHelper::~MountHelper() {
  socket_.reset();
  process_.wait();
}

}  // namespace agentctl::bwrap
