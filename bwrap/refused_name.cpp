// SPDX-License-Identifier: Apache-2.0
#include "bwrap/refused_name.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {

Result<bool> set_aside(const std::string& path) {
  const auto directory = hold_directory(HostPath(parent_path(path)));
  if (!directory) return false;
  const std::string name = path.substr(path.rfind('/') + 1);
  struct stat status {};
  if (::fstatat(directory->get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (::renameat(directory->get(), name.c_str(), directory->get(), cat(name, kSetAside).c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  return errno_error(
      cat("cannot set '", printable(path), "' aside, by which git would take its configuration elsewhere"));
}

}  // namespace agentctl::bwrap
