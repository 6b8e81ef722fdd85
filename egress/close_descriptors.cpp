// SPDX-License-Identifier: Apache-2.0
#include "egress/close_descriptors.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace agentctl::egress {

bool close_all_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned first = 0;
  for (const int fd : kept) {
    const auto at = static_cast<unsigned>(fd);
    if (at > first && ::syscall(SYS_close_range, first, at - 1, 0) != 0) return false;
    first = at + 1;
  }
  return ::syscall(SYS_close_range, first, ~0U, 0) == 0;
}

}  // namespace agentctl::egress
