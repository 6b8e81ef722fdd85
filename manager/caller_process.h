// SPDX-License-Identifier: Apache-2.0
// The process that started this one, noted at once: the parent that getppid(2) names later may be the one that has
// taken over an orphan, whose end would not be waited for but for ever.
#pragma once

#include <sys/types.h>

namespace agentctl::manager {

struct CallerProcess {
  pid_t pid = 0;  // 0: it is outside of our pid namespace
  // It ended before we could look: a child is in its parent's session (setsid(2)), or leads one of its own.
  bool has_ended = false;
};

void note_caller();  // first of all in main()
[[nodiscard]] const CallerProcess& noted_caller();

}  // namespace agentctl::manager
