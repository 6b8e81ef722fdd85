// SPDX-License-Identifier: Apache-2.0
// The three gates between a plan and a running agent. Nothing of the agent runs before all are passed:
//   1. the pipe: the child is in the scope, the scope's job is done, membership is proven; then bwrap is executed;
//   2. --block-fd: the limits, read back from the kernel, are those asked for; then bwrap goes on to its payload;
//   3. the stage: mounts, namespaces, filters, capabilities are as planned, read from outside; then the record is
//      written and the stage executes the agent.
// Any failure ends every process made here and stops the scope.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "bwrap/glob_watch.h"
#include "bwrap/plan.h"
#include "manager/agent.h"
#include "manager/early_scope.h"
#include "manager/streams.h"
#include "policy/budget.h"
#include "units/manager_connection.h"
#include "units/scope_manager.h"

namespace agentctl::manager {

struct GateRequest {
  const bwrap::Plan& plan;
  bwrap::GlobWatch new_matches;
  bwrap::HostPath project;
  Streams& streams;
  EarlyScope& scope;                            // its child becomes the agent's; its broker stays, as the anchor
  units::ManagerConnection* manager = nullptr;  // none: --no-limits
  policy::Budget budget;
  std::optional<egress::Door> door;  // where the plan's network is an allowlist
  // Called when everything is proven, before the last word; an error keeps the agent from running.
  std::function<Result<void>(const Agent&, const units::ScopeStarted&)> record;
};

[[nodiscard]] Result<std::unique_ptr<Agent>> pass_gates(GateRequest request);

}  // namespace agentctl::manager
