// SPDX-License-Identifier: Apache-2.0
#include "units/delegation.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"

namespace agentctl::units {

bool has_delegation_boundary(std::string_view mountinfo) {
  bool found = false;
  for (const std::string& line : split(mountinfo, '\n')) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4 || words[4] != "/sys/fs/cgroup") continue;
    const std::vector<std::string> options = split(dash[3], ',');
    found = dash[1] == "cgroup2" && std::find(options.begin(), options.end(), "nsdelegate") != options.end();
  }
  return found;
}

Result<void> prove_delegation_boundary(const Cgroup& cgroup) {
  if (cgroup.version() != 2) return {};
  if (has_delegation_boundary(AGENTCTL_TRY(read_file("/proc/self/mountinfo", 8U << 20)))) return {};
  return make_error(
      ErrorKind::environment,
      "nested is not safe here: cgroup2 is mounted without nsdelegate, so a session could lift its limits",
      "as root: mount -o remount,nsdelegate /sys/fs/cgroup");
}

}  // namespace agentctl::units
