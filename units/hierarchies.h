// SPDX-License-Identifier: Apache-2.0
// The cgroup hierarchies mounted on this host, and where in each of them this process is (cgroups(7); proc(5),
// mountinfo). Pure but for read_hierarchies().
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::units {

struct Hierarchy {
  std::string mount_point;  // "/sys/fs/cgroup/memory"
  bool unified = false;     // cgroup2
  std::string options;      // for mount(2): "memory", "none,name=systemd"; "" for cgroup2
  std::string own;          // our cgroup below the mount point: "" for its root, or "/user.slice/…"

  [[nodiscard]] std::string own_directory() const { return mount_point + own; }
  friend bool operator==(const Hierarchy&, const Hierarchy&) = default;
};

// Mounts at or below /sys/fs/cgroup, of several at one point the last. An Error when we are outside of what a mount
// shows.
[[nodiscard]] Result<std::vector<Hierarchy>> parse_hierarchies(std::string_view mountinfo,
                                                               std::string_view proc_cgroup);
[[nodiscard]] Result<std::vector<Hierarchy>> read_hierarchies();

// The one whose paths name our cgroups: the unified tree, else name=systemd; null when there is neither.
[[nodiscard]] const Hierarchy* find_naming_hierarchy(const std::vector<Hierarchy>& hierarchies);

}  // namespace agentctl::units
