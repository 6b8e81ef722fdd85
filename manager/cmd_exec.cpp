// SPDX-License-Identifier: Apache-2.0
#include "manager/commands.h"
#include "manager/registry.h"
#include "manager/session_entry.h"

namespace agentctl::manager {

Result<int> run_exec(const ExecOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_session(list_sessions(), options.name));
  return run_in_session(session, options.command);
}

}  // namespace agentctl::manager
