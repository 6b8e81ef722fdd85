// SPDX-License-Identifier: Apache-2.0
#include "bwrap/safe_path.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr int kAttempts = 8;

// openat2(2) answers EAGAIN when a rename elsewhere raced with the walk; trying again is what its page asks for.
UniqueFd open_resolved(int dir, const std::string& path, int flags, std::uint64_t resolve) {
  struct open_how how {};
  how.flags = static_cast<std::uint64_t>(flags) | O_CLOEXEC;
  how.resolve = resolve;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const long fd = ::syscall(SYS_openat2, dir, path.c_str(), &how, sizeof how);
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

// The first component of `path` that is a link, for the message only.
std::string find_link(int dir, const std::string& path) {
  std::string prefix = path.starts_with('/') ? "/" : "";
  for (const std::string& component : split(path, '/')) {
    if (component.empty()) continue;
    prefix += prefix.empty() || prefix.ends_with('/') ? component : cat("/", component);
    struct stat status {};
    if (::fstatat(dir, prefix.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode)) return prefix;
  }
  return path;
}

Error open_error(int dir, const std::string& path) {
  const int why = errno;
  if (why == ELOOP) {
    Error error = make_error(ErrorKind::policy, cat("cannot open '", printable(path), "': '",
                                                    printable(find_link(dir, path)), "' is a symbolic link"));
    error.sys_errno = why;
    return error;
  }
  if (why == EXDEV) {
    Error error = make_error(ErrorKind::policy, cat("cannot open '", printable(path), "': it leaves its directory"));
    error.sys_errno = why;
    return error;
  }
  return errno_error(why, cat("cannot open '", printable(path), "'"));
}

constexpr int kReadFlags = O_RDONLY | O_NOCTTY | O_NONBLOCK;

Result<std::string> read_bounded(int fd, const std::string& path, std::size_t limit) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return errno_error(cat("cannot examine '", printable(path), "'"));
  if (!S_ISREG(status.st_mode)) {
    return make_error(ErrorKind::policy, cat("cannot read '", printable(path), "': it is no regular file"));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > limit) return errno_error(EFBIG, cat("cannot read '", printable(path), "'"));
  std::string text(size, '\0');
  std::size_t length = 0;
  while (length < size) {
    const ssize_t count = ::read(fd, text.data() + length, size - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error(cat("cannot read '", printable(path), "'"));
    if (count == 0) break;
    length += static_cast<std::size_t>(count);
  }
  text.resize(length);
  return text;
}

}  // namespace

Result<UniqueFd> hold_directory(const HostPath& canonical) {
  UniqueFd fd =
      open_resolved(AT_FDCWD, canonical.str(), O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(AT_FDCWD, canonical.str());
  return fd;
}

Result<UniqueFd> hold_place(const std::string& path) {
  UniqueFd fd = open_resolved(AT_FDCWD, path, O_PATH, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(AT_FDCWD, path);
  return fd;
}

Result<FileIdentity> identify_file(const HostPath& canonical) {
  const UniqueFd fd = AGENTCTL_TRY(hold_place(canonical.str()));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(cat("cannot examine '", printable(canonical.str()), "'"));
  return FileIdentity{status.st_dev, status.st_ino};
}

Result<UniqueFd> open_for_copy(const HostPath& canonical) {
  UniqueFd fd = open_resolved(AT_FDCWD, canonical.str(), kReadFlags, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(AT_FDCWD, canonical.str());
  return fd;
}

Result<UniqueFd> open_beneath(int root, const std::string& relative, int flags) {
  UniqueFd fd = open_resolved(root, relative, flags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(root, relative);
  return fd;
}

Result<UniqueFd> open_directory_beneath(int root, const std::string& relative) {
  constexpr std::uint64_t kStay = RESOLVE_BENEATH | RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  constexpr int kRead = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  // What the kernel has at hand waits for nobody. Else an automount point would be set off by opening it, before it is
  // told that it is one; O_PATH alone sets off nothing.
  struct open_how how {};
  how.flags = kRead;
  how.resolve = kStay | RESOLVE_CACHED;
  UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root, relative.c_str(), &how, sizeof how)));
  if (fd.valid()) return fd;
  const UniqueFd place = open_resolved(root, relative, O_PATH, kStay);
  if (!place.valid()) return open_error(root, relative);
  fd = open_resolved(place.get(), ".", kRead, kStay);
  if (!fd.valid()) return open_error(root, relative);
  return fd;
}

Result<std::string> read_regular_file(const HostPath& canonical, std::size_t limit) {
  const UniqueFd fd = open_resolved(AT_FDCWD, canonical.str(), kReadFlags, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(AT_FDCWD, canonical.str());
  return read_bounded(fd.get(), canonical.str(), limit);
}

Result<std::string> read_regular_file_beneath(int root, const std::string& relative, std::size_t limit) {
  const UniqueFd fd = AGENTCTL_TRY(open_beneath(root, relative, kReadFlags));
  return read_bounded(fd.get(), relative, limit);
}

Result<UniqueFd> open_in_root(int root, const std::string& path, int flags) {
  UniqueFd fd = open_resolved(root, path, flags, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
  if (!fd.valid()) return open_error(root, path);
  return fd;
}

Result<UniqueFd> hold_own_program(const HostPath& path) {
  UniqueFd fd(::open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid()) return errno_error(cat("cannot open the program '", printable(path.str()), "'"));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return errno_error(cat("cannot examine '", printable(path.str()), "'"));
  const auto refuse = [&](std::string_view why) {
    return make_error(ErrorKind::environment, cat("refused to use the program '", printable(path.str()), "': ", why),
                      "install agentctl again");
  };
  if (!S_ISREG(status.st_mode)) return refuse("it is not a regular file");
  if (status.st_uid != 0 && status.st_uid != ::geteuid()) return refuse("it belongs to another user");
  if ((status.st_mode & S_IWOTH) != 0) return refuse("others may write it");
  // A build tree under umask 002 is writable by the user's own group.
  if ((status.st_mode & S_IWGRP) != 0 && status.st_gid != ::getegid()) return refuse("another group may write it");
  return fd;
}

}  // namespace agentctl::bwrap
