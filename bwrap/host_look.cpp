// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_look.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace agentctl::bwrap {

HostEntry look_at_host(const std::string& path) {
  HostEntry entry;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    const bool is_gone = errno == ENOENT || errno == ENOTDIR;
    entry.kind = is_gone ? HostEntry::Kind::absent : HostEntry::Kind::unreachable;
    return entry;
  }
  if (S_ISLNK(status.st_mode)) {
    std::array<char, PATH_MAX> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    entry.kind = length > 0 ? HostEntry::Kind::link : HostEntry::Kind::unreachable;
    if (length > 0) entry.target.assign(target.data(), static_cast<std::size_t>(length));
    return entry;
  }
  entry.kind = S_ISDIR(status.st_mode) ? HostEntry::Kind::directory : HostEntry::Kind::file;
  entry.readable = ::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0;
  entry.writable = ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
  return entry;
}

Result<void> give_up_overriding_permissions() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (::syscall(SYS_capget, &header, sets.data()) != 0) return errno_error("cannot read our capabilities");
  for (const int capability : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH}) {
    sets[0].effective &= ~(1U << capability);
    sets[0].permitted &= ~(1U << capability);
  }
  if (::syscall(SYS_capset, &header, sets.data()) != 0) return errno_error("cannot give up capabilities");
  return {};
}

}  // namespace agentctl::bwrap
