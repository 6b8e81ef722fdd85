// SPDX-License-Identifier: Apache-2.0
#include "manager/early_scope.h"

#include <utility>

#include "base/text.h"
#include "manager/session_name.h"
#include "units/unit_name.h"

namespace agentctl::manager {

Result<EarlyScope> begin_scope(std::optional<units::ScopeBroker> broker, const std::string& session_id,
                               const std::string& what, const units::ScopeLimits& limits) {
  const bool is_detached = !session_id.empty();
  std::string id = is_detached ? session_id : AGENTCTL_TRY(make_session_id());
  EarlyScope scope{std::move(id), AGENTCTL_TRY(bwrap::HeldChild::fork()), std::move(broker), {}};
  if (!scope.broker) return scope;
  scope.request = {.unit = units::scope_name(scope.session_id),
                   .slice = std::string(units::kSlice),
                   .description = cat("agentctl: ", printable(what)),
                   .bound_to = is_detached ? units::service_name(scope.session_id) : std::string(),
                   .pids = {scope.child.pid(), scope.broker->pid()},
                   .limits = limits};
  AGENTCTL_TRY_VOID(scope.broker->begin_start(scope.request));
  return scope;
}

Result<void> begin_again(EarlyScope& scope, units::ManagerConnection& manager) {
  for (const pid_t pid : scope.request.pids) AGENTCTL_TRY_VOID(manager.adopt(pid));
  return scope.broker->begin_start(scope.request);
}

}  // namespace agentctl::manager
