// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/ended_sessions.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/registry.h"
#include "manager/session_view.h"
#include "manager/state_dirs.h"
#include "manager/status_watch.h"

namespace agentctl::manager {
namespace {

std::string table_of_all(const std::vector<SessionView>& views, const std::vector<KeptReceipt>& ended) {
  std::string text = views.empty() ? "" : session_table(views, realtime_usec());
  if (!views.empty() && !ended.empty()) text += '\n';
  return ended.empty() ? text : text + receipt_table(ended);
}

}  // namespace

Result<int> run_status(const StatusOptions& options) {
  if (options.watch) return watch_status(options);
  const Listing listing = list_sessions();
  for (const std::string& name : listing.swept)
    notice(cat("session '", printable(name), "' had lost its supervisor; swept"));
  if (!options.name.empty()) {
    const SessionView view = view_session(AGENTCTL_TRY(find_session(listing, options.name)).record);
    AGENTCTL_TRY_VOID(write_all(1, options.json ? session_json(view) + "\n" : session_details(view, realtime_usec())));
    return kExitSuccess;
  }
  const int status = listing.unread.empty() ? kExitSuccess : kExitRuntime;
  if (status != kExitSuccess) print_error(explain_unread(listing));
  std::vector<SessionView> views;
  for (const KnownSession& session : listing.sessions) views.push_back(view_session(session.record));
  std::vector<KeptReceipt> ended;
  if (options.all) {
    const std::string state = AGENTCTL_TRY(state_dir_path());
    ended = AGENTCTL_TRY(read_receipts(state + "/receipts"));
  }
  if (options.json) {
    std::vector<std::string> objects;
    for (const SessionView& view : views) objects.push_back(session_json(view));
    for (std::string& object : ended_objects(std::move(ended))) objects.push_back(std::move(object));
    AGENTCTL_TRY_VOID(write_all(1, cat("[", join(objects, ",\n "), "]\n")));
    return status;
  }
  if (views.empty() && status == kExitSuccess) notice("no session is running");
  AGENTCTL_TRY_VOID(write_all(1, table_of_all(views, ended)));
  return status;
}

}  // namespace agentctl::manager
