// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "units/cgroup.h"

namespace agentctl::units {

Membership parse_membership(std::string_view proc_cgroup_text) {
  Membership membership;
  for (const std::string& line : split(proc_cgroup_text, '\n')) {
    // "4:memory:/path": the path may itself hold colons.
    const std::size_t first = line.find(':');
    if (first == std::string::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      if (line.starts_with("0:")) membership.unified = path;
      continue;
    }
    if (controllers == "name=systemd") membership.systemd = path;
    for (const std::string& controller : split(controllers, ',')) {
      if (controller == "memory") membership.memory = path;
      if (controller == "cpu") membership.cpu = path;
      if (controller == "pids") membership.pids = path;
    }
  }
  return membership;
}

}  // namespace agentctl::units
