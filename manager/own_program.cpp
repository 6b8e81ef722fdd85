// SPDX-License-Identifier: Apache-2.0
#include "manager/own_program.h"

#include <limits.h>
#include <unistd.h>

namespace agentctl::manager {

Result<std::string> own_program() {
  char path[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path);
  if (size < 0 || size == sizeof path) return errno_error("cannot find this program's own file");
  return std::string(path, static_cast<std::size_t>(size));
}

}  // namespace agentctl::manager
