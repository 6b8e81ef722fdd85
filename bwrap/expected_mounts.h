// SPDX-License-Identifier: Apache-2.0
// ExpectedMounts: the mount table inside as a plan wants it, to be held against the one that the kernel reports. Pure,
// and made while bwrap works. Views of the plan's paths: the plan outlives it. Source: proc_pid_mountinfo(5).
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bwrap/mount_table.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

class ExpectedMounts {
 public:
  explicit ExpectedMounts(const Plan& plan);

  // A sentence for each difference; none when all is as planned. `mounts` in the order of the table.
  [[nodiscard]] std::vector<std::string> compare(const std::vector<MountEntry>& mounts) const;

  // What a mount point must look like in the end, after every operation on it.
  struct Expected {
    std::string_view type;
    bool read_only = false;
    bool recursive = false;   // mounts below it may come along
    std::string_view root{};  // within the file system at kMaskSource
  };

 private:
  std::unordered_map<std::string_view, Expected> expected_;  // by mount point
};

}  // namespace agentctl::bwrap
