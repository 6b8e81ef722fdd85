// SPDX-License-Identifier: Apache-2.0
#include "manager/stage_program.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

namespace agentctl::manager {

Result<bwrap::HostPath> find_stage_program() {
  char self[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
  if (size < 0 || size == sizeof self) return errno_error("cannot find this program's own file");
  std::string directory(self, static_cast<std::size_t>(size));
  directory.erase(directory.rfind('/'));
  for (const std::string& path : {directory + "/agentctl-stage", directory + "/../libexec/agentctl/agentctl-stage"}) {
    if (::access(path.c_str(), X_OK) != 0) continue;
    char* canonical = ::realpath(path.c_str(), nullptr);
    if (canonical == nullptr) continue;
    bwrap::HostPath found{std::string(canonical)};
    ::free(canonical);
    return found;
  }
  return make_error(ErrorKind::environment, "the program 'agentctl-stage' is not found beside agentctl or in libexec",
                    "install agentctl again");
}

}  // namespace agentctl::manager
