// SPDX-License-Identifier: Apache-2.0
// Which process the caller's own service manager is (`systemd --user`), told by its socket: a later one, after a logout
// or a crash, is another process, while the same one stays what it is when it executes itself anew (daemon-reexec).
#pragma once

#include "base/process.h"
#include "base/result.h"

namespace agentctl::units {

// An Error where none listens, and where it lies in a pid namespace that we do not see.
[[nodiscard]] Result<ProcessIdentity> identify_user_manager();

}  // namespace agentctl::units
