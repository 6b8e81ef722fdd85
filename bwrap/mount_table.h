// SPDX-License-Identifier: Apache-2.0
// What a mount namespace has mounted where, in the kernel's own words. Source: proc_pid_mountinfo(5).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::bwrap {

struct MountEntry {
  std::string mount_point;  // as the process sees it
  std::string type;         // "tmpfs", "ext4", …
  bool read_only = false;
  std::string root{};     // the directory or file of the file system that is shown
  std::string device{};   // of the file system, "major:minor"
  bool receives = false;  // mounts that are made elsewhere arrive below it (mount_namespaces(7), "master:")
};

// One line of mountinfo each, octal escapes undone. Pure.
[[nodiscard]] std::vector<MountEntry> parse_mountinfo(std::string_view text);

}  // namespace agentctl::bwrap
