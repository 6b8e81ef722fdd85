// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "manager/commands.h"
#include "manager/control_client.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/outer_session.h"
#include "manager/registry.h"

namespace agentctl::manager {
namespace {

// No socket leads here from inside anyway; this says so.
Result<KnownSession> find_from_outside(const std::string& name) {
  if (is_inside_session()) {
    return make_error(ErrorKind::policy, "cannot change from inside a session what sessions reach",
                      "the user can, from outside");
  }
  return find_session(list_sessions(), name);
}

}  // namespace

Result<int> run_allow(const AllowOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_from_outside(options.name));
  AGENTCTL_TRY_VOID(ask_session(session, AllowRequest{options.rule}));
  const std::string opened = policy::remark(options.rule);
  notice(cat("'", session.record.name, "' may reach '", policy::to_string(options.rule), "' now",
             opened.empty() ? "" : cat(": ", opened)));
  return kExitSuccess;
}

Result<int> run_deny(const DenyOptions& options) {
  const KnownSession session = AGENTCTL_TRY(find_from_outside(options.name));
  AGENTCTL_TRY_VOID(ask_session(session, DenyRequest{options.rule}));
  notice(cat("'", session.record.name, "' may not reach '", policy::to_string(options.rule), "' any more"));
  return kExitSuccess;
}

}  // namespace agentctl::manager
