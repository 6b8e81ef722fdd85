// SPDX-License-Identifier: Apache-2.0
// run_session: one session from plan to receipt. Everything it makes (record, socket, scope, processes, a private
// manager's cgroups) is gone when it returns, whether it returns an outcome or an error.
#pragma once

#include <sys/ioctl.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/glob_watch.h"
#include "bwrap/paths.h"
#include "bwrap/plan.h"
#include "manager/door_plan.h"
#include "manager/early_scope.h"
#include "manager/record.h"
#include "manager/session_outcome.h"
#include "policy/budget.h"
#include "policy/limits.h"
#include "policy/publication.h"

namespace agentctl::manager {

class WaitingCaller;

struct SessionRequest {
  bwrap::Plan plan;
  bwrap::GlobWatch new_matches;  // of what the plan hides by globs
  bwrap::HostPath project;       // canonical
  policy::Limits limits;
  policy::Budget budget;  // of all sessions
  std::string profile;
  std::string name;                 // "": made from command and project
  std::optional<pid_t> parent_pid;  // none: the caller
  bool filters_output = true;       // [terminal] filter
  std::vector<policy::Publication> publish;
  std::optional<DoorPlan> door;         // with the network mode allowlist
  std::optional<winsize> own_terminal;  // of a session without a caller: see Streams::open_detached
  bool quiet = false;
  WaitingCaller* caller = nullptr;  // of a detached session: told when it runs, which is its parent no longer
};

struct SessionReport {
  Record record;
  SessionOutcome outcome;
};

// `scope` is under way already.
[[nodiscard]] Result<SessionReport> run_session(SessionRequest request, EarlyScope scope);

}  // namespace agentctl::manager
