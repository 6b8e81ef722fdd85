// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "base/text.h"
#include "manager/commands.h"
#include "manager/control_client.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/registry.h"

namespace agentctl::manager {
namespace {

Result<int> ask_each(const std::vector<std::string>& names, const ControlRequest& request) {
  const Listing listing = list_sessions();
  std::vector<KnownSession> sessions;
  for (const std::string& name : names) sessions.push_back(AGENTCTL_TRY(find_session(listing, name)));
  int status = kExitSuccess;
  for (const KnownSession& session : sessions) {
    if (const auto done = ask_session(session, request); !done) {
      print_error(done.error());
      status = kExitRuntime;
    }
  }
  return status;
}

}  // namespace

Result<int> run_pause(const PauseOptions& options) { return ask_each(options.names, PauseRequest{}); }
Result<int> run_resume(const ResumeOptions& options) { return ask_each(options.names, ResumeRequest{}); }

}  // namespace agentctl::manager
