// SPDX-License-Identifier: Apache-2.0
// start --detach, in the process that was typed: it asks the service manager for a service that supervises the session,
// hands over what the session is to be, and waits until that runs. What a start says and what it exits with are the
// same as without --detach, up to there. Ended before, this process takes the session with it.
#pragma once

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::manager {

// Prints the session's name on standard output; with --json what `status --json NAME` does.
[[nodiscard]] Result<int> start_detached(const StartOptions& options);

}  // namespace agentctl::manager
