// SPDX-License-Identifier: Apache-2.0
// What an agent leaves in a private home goes with the session; it is counted at the end. The home is held from outside
// by a descriptor, which keeps its tmpfs in being until it is closed: it must not outlive the look.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "bwrap/plan.h"

namespace agentctl::manager {

struct DroppedFiles {
  std::uint64_t count = 0;         // files and links; an empty directory is none
  std::vector<std::string> names;  // "~/notes", "~/dev/fix/" for a new directory that holds some; no more than ten
  bool is_all = true;              // else the look was cut short, and there are more
};

struct DropBounds {
  std::size_t entries = 20'000;
  std::uint64_t usec = 50'000;
};

class PrivateHome {
 public:
  PrivateHome() = default;
  // Through a process inside, before the agent runs. Holds nothing where the plan has no such home, or where it cannot
  // be reached: then nothing is counted.
  [[nodiscard]] static PrivateHome hold(const bwrap::Plan& plan, pid_t inside);

  // At the end, when nobody can write there any more; what the plan itself put there does not count.
  [[nodiscard]] DroppedFiles count_dropped(const DropBounds& bounds = {}) const;

 private:
  UniqueFd fd_;
  std::set<std::string> planned_;  // below the home: what the plan places, and the directories above that
};

}  // namespace agentctl::manager
