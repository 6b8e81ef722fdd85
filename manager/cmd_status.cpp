// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/registry.h"
#include "manager/session_view.h"

namespace agentctl::manager {
Result<int> run_status(const StatusOptions& options) {
  const Listing listing = list_sessions();
  for (const std::string& name : listing.swept)
    notice(cat("session '", printable(name), "' had lost its supervisor; swept"));
  std::string text;
  if (!options.name.empty()) {
    const SessionView view = view_session(AGENTCTL_TRY(find_session(listing, options.name)).record);
    text = options.json ? session_json(view) + "\n" : session_details(view, realtime_usec());
  } else if (options.json) {
    std::vector<std::string> objects;
    for (const KnownSession& session : listing.sessions) objects.push_back(session_json(view_session(session.record)));
    text = cat("[", join(objects, ",\n "), "]\n");
  } else if (listing.sessions.empty()) {
    notice("no session is running");
  } else {
    std::vector<SessionView> views;
    for (const KnownSession& session : listing.sessions) views.push_back(view_session(session.record));
    text = session_table(views, realtime_usec());
  }
  AGENTCTL_TRY_VOID(write_all(1, text));
  return kExitSuccess;
}

}  // namespace agentctl::manager
