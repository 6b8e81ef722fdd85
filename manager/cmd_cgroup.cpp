// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/registry.h"

namespace agentctl::manager {

Result<int> run_cgroup(const CgroupOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_session(list_sessions(), options.name));
  if (session.record.cgroup_directory.empty()) {
    return make_error(ErrorKind::system, cat("session '", session.record.name, "' has no cgroup of its own"),
                      session.record.unlimited ? "it was started with --no-limits" : "it is still starting");
  }
  AGENTCTL_TRY_VOID(write_all(1, session.record.cgroup_directory + "\n"));
  return kExitSuccess;
}

}  // namespace agentctl::manager
