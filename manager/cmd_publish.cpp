// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "manager/commands.h"
#include "manager/control_client.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/registry.h"

namespace agentctl::manager {

Result<int> run_publish(const PublishOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_session(list_sessions(), options.name));
  AGENTCTL_TRY_VOID(ask_session(session, PublishRequest{options.publication}));
  const policy::Publication& made = options.publication;
  if (made.is_automatic()) {
    notice(cat("what listens in '", session.record.name, "' is published on this machine's loopback: agentctl status ",
               session.record.name));
    return kExitSuccess;
  }
  notice(cat("port ", made.port, " of '", session.record.name, "' is at http://localhost:", made.host_port, "/"));
  return kExitSuccess;
}

Result<int> run_unpublish(const UnpublishOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_session(list_sessions(), options.name));
  AGENTCTL_TRY_VOID(ask_session(session, UnpublishRequest{options.host_port}));
  return kExitSuccess;
}

}  // namespace agentctl::manager
