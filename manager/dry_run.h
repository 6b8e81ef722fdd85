// SPDX-License-Identifier: Apache-2.0
// --dry-run: what a start would do, printed through the same pure functions; nothing is started.
#pragma once

#include "base/result.h"
#include "manager/cli.h"
#include "manager/session.h"

namespace agentctl::manager {

[[nodiscard]] Result<int> print_dry_run(const SessionRequest& request, const StartOptions& options);

}  // namespace agentctl::manager
