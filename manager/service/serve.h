// SPDX-License-Identifier: Apache-2.0
// `agentctl serve`: the login-session service. It owns org.agentctl.Manager1 on the user's bus, where it shows every
// session of the user, however it was started, and takes calls. It owns no session: its end or restart touches none,
// and no other command needs it.
#pragma once

#include "base/result.h"

namespace agentctl::manager::service {

// Until SIGTERM, SIGINT or SIGHUP; an Error when the bus or the name cannot be had, or the bus goes away.
[[nodiscard]] Result<int> run_serve();

}  // namespace agentctl::manager::service
