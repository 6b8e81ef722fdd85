// SPDX-License-Identifier: Apache-2.0
#include "bwrap/machine_size.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/limit_setter.h"
#include "manager/registry.h"
#include "manager/session_dir.h"

namespace agentctl::manager {

Result<int> run_set(const SetOptions& options) {
  const LimitChange change = AGENTCTL_TRY(read_limit_change(options.limits, bwrap::read_machine_size()));
  const KnownSession found = AGENTCTL_TRY(find_session(list_sessions(), options.name));
  const UniqueFd lock = AGENTCTL_TRY(lock_limits(found.directory));
  // Another `set` may have changed it until the lock was ours.
  const KnownSession session = AGENTCTL_TRY(find_session(list_sessions(), found.record.id));
  AGENTCTL_TRY_VOID(set_limits(session, change, options.force));
  return kExitSuccess;
}

}  // namespace agentctl::manager
