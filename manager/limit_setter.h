// SPDX-License-Identifier: Apache-2.0
// New limits for a running session, all or none: set through its service manager, so that systemd's view and the
// kernel's agree; read back from the kernel's files; then told to the supervisor, which keeps the time limit and the
// record. Whatever fails, what was before is put back. One at a time a session.
#pragma once

#include "base/result.h"
#include "manager/limit_change.h"
#include "manager/registry.h"

namespace agentctl::manager {

// `is_forced`: memory-max may lie below what is in use.
[[nodiscard]] Result<void> set_limits(const KnownSession& session, const LimitChange& change, bool is_forced);

}  // namespace agentctl::manager
