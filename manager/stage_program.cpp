// SPDX-License-Identifier: Apache-2.0
#include "manager/stage_program.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

namespace agentctl::manager {
namespace {

Result<bwrap::HostPath> find_own_program(const std::string& name) {
  char self[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
  if (size < 0 || size == sizeof self) return errno_error("cannot find this program's own file");
  std::string directory(self, static_cast<std::size_t>(size));
  directory.erase(directory.rfind('/'));
  for (const std::string& path : {cat(directory, "/", name), cat(directory, "/../libexec/agentctl/", name)}) {
    if (::access(path.c_str(), X_OK) != 0) continue;
    char* canonical = ::realpath(path.c_str(), nullptr);
    if (canonical == nullptr) continue;
    bwrap::HostPath found{std::string(canonical)};
    ::free(canonical);
    return found;
  }
  return make_error(ErrorKind::environment, cat("the program '", name, "' is not found beside agentctl or in libexec"),
                    "install agentctl again");
}

}  // namespace

Result<bwrap::HostPath> find_stage_program() { return find_own_program("agentctl-stage"); }

Result<bwrap::HostPath> find_probe_program() { return find_own_program("agentctl-probe"); }

}  // namespace agentctl::manager
