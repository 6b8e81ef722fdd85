// SPDX-License-Identifier: Apache-2.0
#include "manager/session_entry.h"

#include <poll.h>
#include <signal.h>

#include <cerrno>
#include <optional>

#include "base/text.h"
#include "manager/entered_program.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/session_cgroup.h"
#include "manager/session_program.h"

namespace agentctl::manager {
namespace {

Result<void> check_state(const Record& record) {
  const auto refuse = [&](std::string_view why, std::string hint) {
    return make_error(ErrorKind::system, cat("session '", record.name, "' ", why), std::move(hint));
  };
  if (record.state == "frozen") return refuse("is paused", cat("agentctl resume ", record.name));
  if (record.state == "starting") return refuse("is still starting", "");
  if (record.state == "stopping") return refuse("is ending", "");
  return {};
}

// The kernel kills a session's processes in any order.
bool has_session_ended(int leader_pidfd, int status) {
  constexpr int kLongestDeathMsec = 200;
  pollfd ended{leader_pidfd, POLLIN, 0};
  return ::poll(&ended, 1, status == kExitSignalBase + SIGKILL ? kLongestDeathMsec : 0) > 0;
}

}  // namespace

Result<int> run_in_session(const KnownSession& session, const std::vector<std::string>& command, int file) {
  const Record& record = session.record;
  AGENTCTL_TRY_VOID(check_state(record));
  const auto program = SessionProgram::find(session, command, file);
  if (!program) {
    if (program.error().kind != ErrorKind::environment) return program.error();
    print_error(program.error());
    return program.error().sys_errno == ENOENT ? kExitNotFound : kExitCannotExecute;
  }
  std::optional<units::Cgroup> cgroup;
  if (!record.unlimited) cgroup.emplace(AGENTCTL_TRY(open_session_cgroup(record)));

  Streams streams = AGENTCTL_TRY(Streams::open());
  bwrap::EntryRequest entry = program->entry();
  entry.standard_input = streams.child_input();
  entry.standard_output = streams.child_output();
  entry.standard_error = streams.child_error();
  entry.controlling_terminal = streams.is_terminal();
  bwrap::EnteringChild child = AGENTCTL_TRY(bwrap::EnteringChild::fork(entry));
  if (cgroup) AGENTCTL_TRY_VOID(move_into_session(child.pid(), record, *cgroup));
  const auto inside = child.enter();
  streams.close_child_ends();
  if (!inside) {
    if (inside.error().kind != ErrorKind::policy) return inside.error();
    print_error(errno_error(inside.error().sys_errno, cat("cannot execute '", printable(command[0]), "'")));
    return inside.error().sys_errno == ENOENT ? kExitNotFound : kExitCannotExecute;
  }
  const int status = AGENTCTL_TRY(EnteredProgram::watch(*inside, streams));
  if (has_session_ended(program->leader_pidfd(), status)) notice(cat("session '", record.name, "' has ended"));
  return status;
}

}  // namespace agentctl::manager
