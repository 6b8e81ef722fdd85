// SPDX-License-Identifier: Apache-2.0
// A request to a running session's supervisor, and its answer, within ten seconds.
#pragma once

#include "base/result.h"
#include "manager/control_request.h"
#include "manager/registry.h"

namespace agentctl::manager {

[[nodiscard]] Result<void> request_answer(const KnownSession& session, const ControlRequest& request);
// The same; an Error names the session.
[[nodiscard]] Result<void> ask_session(const KnownSession& session, const ControlRequest& request);

}  // namespace agentctl::manager
