// SPDX-License-Identifier: Apache-2.0
// SessionOutcome: how a session ended. Apart from Result on purpose: an Error says that agentctl could not do
// something, an outcome says what became of the agent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manager/exec_surface.h"
#include "manager/private_home.h"
#include "units/cgroup.h"

namespace agentctl::manager {

enum class EndCause {
  exited,       // the agent ended by itself
  exec_failed,  // it could not be executed
  stopped,      // agentctl stop
  parent_died,
  hangup,       // the terminal was closed
  terminated,   // a signal to the supervisor
  interrupted,  // Ctrl-C, without a terminal of the agent's own
  time_limit,
  mask_lost,  // what the policy hides or protects could not be hidden or protected any longer
  lost,       // nobody saw it: the supervisor was killed
};
[[nodiscard]] const char* to_string(EndCause cause);

struct SessionOutcome {
  EndCause cause = EndCause::exited;
  int exit_status = 0;                // the agent's own; 128+n for a signal; unknown when lost
  int exec_error = 0;                 // errno, with exec_failed
  std::vector<std::string> killed;    // "name (pid)": who was left when the grace was over
  units::CgroupUsage usage;           // last figures; empty with --no-limits
  std::uint64_t ended_usec = 0;       // CLOCK_REALTIME; when lost: when that was found
  std::vector<std::string> restored;  // masks and read-only binds that the host undid: a line each
  std::vector<std::string> problems;  // what could not be proven or written at the end
  SurfaceReport surface;              // what the host may run of what was written
  DroppedFiles dropped;               // what was left in the private home

  // The kernel's memory limit took the agent itself, or something in its session.
  [[nodiscard]] bool oom_killed_agent() const { return usage.oom_kills > 0 && exit_status == 137; }
};

}  // namespace agentctl::manager
