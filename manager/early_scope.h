// SPDX-License-Identifier: Apache-2.0
// EarlyScope: what a start sets going as soon as the limits are known, before it has looked at the rest of the machine:
// the child that will become bwrap, held, and the request for the scope that it goes into. The service manager then
// works beside us. Nothing runs in the scope until the gates are passed; dropping this ends both processes, and systemd
// collects the empty scope.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "bwrap/held_child.h"
#include "units/scope_broker.h"
#include "units/scope_manager.h"

namespace agentctl::manager {

struct EarlyScope {
  std::string session_id;
  bwrap::HeldChild child;
  std::optional<units::ScopeBroker> broker;  // connecting already; none: --no-limits
  units::ScopeRequest request;
};

// `session_id`: of a detached session, whose service the scope is bound to; else "": one is made.
[[nodiscard]] Result<EarlyScope> begin_scope(std::optional<units::ScopeBroker> broker, const std::string& session_id,
                                             const std::string& what, const units::ScopeLimits& limits);

// After finish_connect() said that a private manager is the way: the first request went to nobody, so it is made again,
// once `manager` is there.
[[nodiscard]] Result<void> begin_again(EarlyScope& scope, units::ManagerConnection& manager);

}  // namespace agentctl::manager
