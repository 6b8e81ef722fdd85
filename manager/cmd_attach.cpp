// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/text.h"
#include "manager/attach_client.h"
#include "manager/commands.h"
#include "manager/end_report.h"
#include "manager/exit_status.h"
#include "manager/kept_receipts.h"
#include "manager/notice.h"
#include "manager/registry.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

// What is left of a session that is over.
Error explain_ended(const std::string& name, Error not_found) {
  const auto state = state_dir_path();
  if (!state) return not_found;
  const auto receipts = read_receipts(*state + "/receipts");
  if (!receipts) return not_found;
  const auto receipt = find_receipt(*receipts, name);
  if (!receipt) return not_found;
  return make_error(ErrorKind::system, cat("it is over: ", printable((*receipt)->value["summary"].text)),
                    cat("'agentctl receipt ", printable((*receipt)->value["name"].text), "' tells more"));
}

int tell_end(const std::string& name, const AttachEnd& end) {
  const auto report = parse_end_report(end.text);
  if (!report) {
    print_error(make_error(ErrorKind::internal, cat("cannot tell how '", name, "' has ended")));
    return kExitRuntime;
  }
  for (const std::string& line : report->lines) notice(line);
  return report->exit_status;
}

}  // namespace

Result<int> run_attach(const AttachOptions& options) {
  const Listing listing = list_sessions();
  const auto session = find_session(listing, options.name);
  if (!session && session.error().kind == ErrorKind::usage) return session.error();
  if (!session) return explain_ended(options.name, session.error());
  const std::string& name = session->record.name;
  if (session->record.tty.empty() && session->record.state != "starting") {
    return make_error(ErrorKind::system, cat("'", name, "' has no terminal: it was started with pipes or files"));
  }
  const AttachEnd end = AGENTCTL_TRY(attach_terminal(session->directory, options.read_only, options.take_over));
  switch (end.cause) {
    case AttachEnd::Cause::detached:
      notice(cat("detached; 'agentctl attach ", name, "' comes back"));
      return kExitSuccess;
    case AttachEnd::Cause::session_ended:
      return tell_end(name, end);
    case AttachEnd::Cause::refused:
      return make_error(ErrorKind::system, cat("cannot attach to '", name, "': ", printable(end.text)));
    case AttachEnd::Cause::lost:
      (void)list_sessions();  // which writes the receipt that nobody wrote
      return make_error(ErrorKind::system, cat("'", name, "' has lost its supervisor, and is ended"),
                        cat("'agentctl receipt ", name, "' tells more"));
  }
  return kExitRuntime;
}

}  // namespace agentctl::manager
