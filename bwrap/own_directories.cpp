// SPDX-License-Identifier: Apache-2.0
#include "bwrap/own_directories.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kLongestName = 200;  // NAME_MAX is 255
constexpr mode_t kDirectoryMode = 0700;
constexpr mode_t kFileMode = 0600;

Error in_the_way(const std::string& home, const std::string& below) {
  const std::string path = cat(home, "/", below);
  return make_error(
      ErrorKind::environment,
      cat("cannot use the home '", printable(home), "': something else is in the way at '", printable(below), "'"),
      cat("look at it and remove it: rm -r ", shell_quote(path)));
}

class Home {
 public:
  Home(const std::string& path, UniqueFd fd) : path_(path), fd_(std::move(fd)) {}

  Result<void> make(const MountPoint& point) {
    if (point.is_link) return drop_link(point);
    if (point.is_copy) return copy(point);
    struct stat source {};
    const bool known = !point.source.str().empty();
    if (known && ::lstat(point.source.str().c_str(), &source) != 0) {
      return errno_error(cat("cannot show '", printable(point.source.str()), "'"));
    }
    const bool directory = !known || S_ISDIR(source.st_mode);
    const UniqueFd parent = AGENTCTL_TRY(parent_of(point));
    const std::string name = point.below.substr(point.below.rfind('/') + 1);
    const int made = directory ? ::mkdirat(parent.get(), name.c_str(), kDirectoryMode)
                               : ::mknodat(parent.get(), name.c_str(), S_IFREG | kFileMode, 0);
    if (made != 0 && errno != EEXIST) return errno_error(cat("cannot make '", printable(point.below), "' in the home"));
    struct stat there {};
    if (::fstatat(parent.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
        (directory ? !S_ISDIR(there.st_mode) : !S_ISREG(there.st_mode))) {
      return in_the_way(path_, point.below);
    }
    return {};
  }

 private:
  // Every directory above the mount point, made where it is missing.
  Result<UniqueFd> parent_of(const MountPoint& point) const {
    for (std::size_t slash = point.below.find('/'); slash != std::string::npos;
         slash = point.below.find('/', slash + 1)) {
      const std::string above = point.below.substr(0, slash);
      const auto holder = AGENTCTL_TRY(holder_of(above));
      const std::string name = above.substr(above.rfind('/') + 1);
      if (::mkdirat(holder.get(), name.c_str(), kDirectoryMode) != 0 && errno != EEXIST) {
        return errno_error(cat("cannot make '", printable(above), "' in the home"));
      }
    }
    return holder_of(point.below);
  }

  Result<UniqueFd> holder_of(const std::string& below) const {
    const std::size_t slash = below.rfind('/');
    const std::string above = slash == std::string::npos ? "." : below.substr(0, slash);
    auto holder = open_beneath(fd_.get(), above, O_PATH | O_DIRECTORY);
    if (!holder) return in_the_way(path_, above);
    return holder;
  }

  Result<void> drop_link(const MountPoint& point) const {
    const UniqueFd parent = AGENTCTL_TRY(parent_of(point));
    const std::string name = point.below.substr(point.below.rfind('/') + 1);
    struct stat there {};
    if (::fstatat(parent.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return {};
    if (!S_ISLNK(there.st_mode) || ::unlinkat(parent.get(), name.c_str(), 0) != 0)
      return in_the_way(path_, point.below);
    return {};
  }

  Result<void> copy(const MountPoint& point) const {
    const UniqueFd parent = AGENTCTL_TRY(parent_of(point));
    const std::string name = point.below.substr(point.below.rfind('/') + 1);
    struct stat there {};
    if (::fstatat(parent.get(), name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0) return {};
    const UniqueFd from = AGENTCTL_TRY(open_at(AT_FDCWD, point.source.str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const UniqueFd to = AGENTCTL_TRY(open_at(parent.get(), name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, kFileMode));
    while (true) {
      const ssize_t sent = ::sendfile(to.get(), from.get(), nullptr, std::numeric_limits<int>::max());
      if (sent == 0) return {};
      if (sent < 0 && errno != EINTR) return errno_error(cat("cannot copy '", printable(point.source.str()), "'"));
    }
  }

  const std::string& path_;
  UniqueFd fd_;
};

}  // namespace

std::string name_of_path(const std::string& canonical) {
  std::string name;
  std::size_t piece = 0;
  for (const char character : std::string_view(canonical).substr(canonical.starts_with('/') ? 1 : 0)) {
    // No path yields "%+": a piece that goes on is never the whole name of another path.
    if (name.size() - piece >= kLongestName) {
      name += "%+/";
      piece = name.size();
    }
    switch (character) {
      case '/':
        name += '!';
        break;
      case '!':
        name += "%21";
        break;
      case '%':
        name += "%25";
        break;
      default:
        name += character;
    }
  }
  return name;
}

std::optional<std::string> path_of_name(const std::string& name) {
  std::string path = "/";
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] != '%') {
      path += name[at] == '!' ? '/' : name[at];
      continue;
    }
    const std::string code = name.substr(at + 1, 2);
    if (code != "21" && code != "25") return std::nullopt;
    path += code == "21" ? '!' : '%';
    at += code.size();
  }
  return name_of_path(path) == name ? std::optional(path) : std::nullopt;
}

Result<UniqueFd> prepare(const OwnDirectories& directories) {
  if (!directories.cache.empty()) {
    const UniqueFd cache =
        AGENTCTL_TRY(with_context("cannot keep a cache for this project", own_directory(directories.cache)));
    (void)::futimens(cache.get(), nullptr);
  }
  if (directories.home.empty()) return UniqueFd();
  // The directory around it is the lock, for the session sees the home itself.
  UniqueFd lock =
      AGENTCTL_TRY(with_context("cannot keep a home for this project", own_directory(parent_path(directories.home))));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return errno_error(cat("cannot lock '", printable(directories.home), "'"));
    return make_error(ErrorKind::environment,
                      cat("cannot use the home '", printable(directories.home), "': another session has it"),
                      "stop that session ('agentctl status' lists them), or start with home = \"private\"");
  }
  Home home(directories.home,
            AGENTCTL_TRY(with_context("cannot keep a home for this project", own_directory(directories.home))));
  for (const MountPoint& point : directories.mount_points) AGENTCTL_TRY_VOID(home.make(point));
  return lock;
}

}  // namespace agentctl::bwrap
