// SPDX-License-Identifier: Apache-2.0
#include "bwrap/sandbox_view.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "base/file.h"
#include "base/slow_close.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

std::optional<struct statx> status_of(const UniqueFd& fd) {
  struct statx status {};
  const int flags = AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
  if (::statx(fd.get(), "", flags, STATX_TYPE | STATX_SIZE, &status) != 0) return std::nullopt;
  return status;
}

bool is_empty(const struct statx& status) { return S_ISDIR(status.stx_mode) || status.stx_size == 0; }

std::string read_link(const UniqueFd& link) {
  std::array<char, PATH_MAX> text{};
  const ssize_t length = ::readlinkat(link.get(), "", text.data(), text.size());
  return length > 0 ? std::string(text.data(), static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

bool is_in_place(Guard guard, const Seen& seen) {
  switch (guard) {
    case Guard::mask:
    case Guard::name:
      return seen.mount_point && seen.read_only && seen.foreign && seen.empty;
    case Guard::read_only:
      return seen.mount_point && seen.read_only;
    case Guard::copy:
      return seen.mount_point && seen.foreign;
    case Guard::pin:
      return seen.mount_point;
  }
  return false;
}

// Ours may be the last hold on its mounts: taking down hundreds of them takes the kernel milliseconds.
SandboxView::~SandboxView() { close_without_waiting(std::move(mount_namespace_)); }

Result<SandboxView> SandboxView::open(pid_t inside) {
  const std::string process = cat("/proc/", inside);
  UniqueFd root = AGENTCTL_TRY(open_at(AT_FDCWD, cat(process, "/root"), O_PATH | O_DIRECTORY));
  UniqueFd mounts = AGENTCTL_TRY(open_at(AT_FDCWD, cat(process, "/ns/mnt"), O_RDONLY));
  UniqueFd users(::ioctl(mounts.get(), NS_GET_USERNS));
  if (!users.valid()) return errno_error("cannot find the user namespace of the sandbox's mounts");
  return SandboxView(std::move(root), std::move(mounts), std::move(users));
}

Result<UniqueFd> SandboxView::open_path(const std::string& path, int flags) const {
  if (path == "/") return open_beneath(root_.get(), ".", O_PATH | flags);
  return open_beneath(root_.get(), path.substr(1), O_PATH | O_NOFOLLOW | flags);
}

Result<UniqueFd> SandboxView::open_followed(const std::string& path) const {
  return open_in_root(root_.get(), path, O_PATH);
}

Result<UniqueFd> SandboxView::open_first_link(const std::string& path) const {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    UniqueFd fd = AGENTCTL_TRY(open_path(path.substr(0, end)));
    const auto status = status_of(fd);
    if (status && S_ISLNK(status->stx_mode)) return fd;
    if (end == std::string::npos) return errno_error(EINVAL, cat("no link leads to '", printable(path), "'"));
  }
}

bool SandboxView::leads_over_link(const std::string& path) const {
  const auto fd = open_path(path);
  if (!fd) return fd.error().sys_errno == ELOOP;
  const auto status = status_of(*fd);
  return status && S_ISLNK(status->stx_mode);
}

PathFact SandboxView::resolve(const std::string& path) const {
  const auto look_at = [this](const std::string& at) {
    SeenPlace seen;
    const auto fd = open_path(at);
    const auto status = fd ? status_of(*fd) : std::nullopt;
    if (!status) return seen;
    seen.link = S_ISLNK(status->stx_mode);
    if (seen.link) seen.target = read_link(*fd);
    if (!seen.link) seen.kind = kind_of(status->stx_mode);
    return seen;
  };
  return PathResolver(look_at).resolve(path);
}

bool SandboxView::can_be_renamed(const std::string& directory) const {
  const auto fd = open_path(directory, O_DIRECTORY);
  const auto status = fd ? status_of(*fd) : std::nullopt;
  struct statvfs system {};
  if (!status || ::fstatvfs(fd->get(), &system) != 0) return false;
  return (status->stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0 && (system.f_flag & ST_RDONLY) == 0;
}

Result<void> SandboxView::hold_copy(const std::string& path) {
  copies_[path] = AGENTCTL_TRY(open_beneath(root_.get(), path.substr(1), O_RDONLY | O_NOCTTY | O_NONBLOCK));
  return {};
}

Result<int> SandboxView::find_copy(const std::string& path) const {
  const auto copy = copies_.find(path);
  if (copy != copies_.end()) return copy->second.get();
  return make_error(ErrorKind::internal, cat("no copy of '", printable(path), "' is held"));
}

// The same mask may be a mount of what the link leads to: where that lies is not known, so not compared.
GuardState SandboxView::look_behind_link(const std::string& path) const {
  const auto fd = open_followed(path);
  if (!fd) return GuardState::absent;
  const auto status = status_of(*fd);
  struct statvfs system {};
  if (!status || ::fstatvfs(fd->get(), &system) != 0) return GuardState::lost;
  const bool mount_point = (status->stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return is_in_place(Guard::mask, {mount_point, (system.f_flag & ST_RDONLY) != 0, true, is_empty(*status)})
             ? GuardState::stands
             : GuardState::lost;
}

GuardState SandboxView::look(const GuardedMount& mount) const {
  const auto fd = open_path(mount.path);
  if (!fd) {
    const int why = fd.error().sys_errno;
    if (why == ELOOP && hides(mount.guard)) return look_behind_link(mount.path);
    // A link above it: the path leads elsewhere now, and nothing stands at it.
    return why == ENOENT || why == ENOTDIR || why == ELOOP ? GuardState::absent : GuardState::lost;
  }
  const auto status = status_of(*fd);
  if (status && S_ISLNK(status->stx_mode) && !mount.link.empty() && read_link(*fd) == mount.link) {
    return GuardState::stands;
  }
  const auto around = open_path(parent_path(mount.path));
  if (!around) return GuardState::lost;
  const GuardState state = compare(mount, *fd, *around);
  return state == GuardState::stands && !open_bare_undersides(mount).empty() ? GuardState::lost : state;
}

GuardState SandboxView::compare(const GuardedMount& mount, const UniqueFd& place, const UniqueFd& around) {
  const auto status = status_of(place);
  const auto parent = status_of(around);
  struct statvfs system {};
  if (!status || !parent || ::fstatvfs(place.get(), &system) != 0) return GuardState::lost;
  Seen seen;
  seen.mount_point = (status->stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  seen.read_only = (system.f_flag & ST_RDONLY) != 0;
  seen.foreign = status->stx_dev_major != parent->stx_dev_major || status->stx_dev_minor != parent->stx_dev_minor;
  seen.empty = is_empty(*status);
  return is_in_place(mount.guard, seen) ? GuardState::stands : GuardState::lost;
}

Result<void> SandboxView::keep_underside(const std::string& directory) {
  undersides_[directory] = AGENTCTL_TRY(open_path(directory, O_DIRECTORY));
  return {};
}

std::vector<UniqueFd> SandboxView::open_bare_undersides(const GuardedMount& mount) const {
  std::vector<UniqueFd> places;
  if (mount.guard == Guard::pin) return places;
  for (const auto& [directory, underside] : undersides_) {
    if (!starts_with_path(mount.path, directory) || mount.path == directory) continue;
    const std::string name = mount.path.substr(directory.size() + 1);
    auto place = open_beneath(underside.get(), name, O_PATH | O_NOFOLLOW);
    if (!place) continue;
    const std::size_t slash = name.rfind('/');
    const auto around = open_beneath(underside.get(), slash == std::string::npos ? "." : name.substr(0, slash), O_PATH);
    if (around && compare(mount, *place, *around) != GuardState::stands) places.push_back(std::move(*place));
  }
  return places;
}

}  // namespace agentctl::bwrap
