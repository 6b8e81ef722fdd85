// SPDX-License-Identifier: Apache-2.0
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/event_loop.h"
#include "base/process.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/control_request.h"
#include "manager/control_socket.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/registry.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kBeyondGraceUsec = 5'000'000;  // for the kill, the proof and the receipt
constexpr std::uint64_t kWordAfterUsec = 1'000'000;

struct Request {
  KnownSession session;
  Result<UniqueFd> connection;
};

// A session suspended with Ctrl-Z has a stopped supervisor, which hears nothing until it goes on.
void wake_if_stopped(const ProcessIdentity& supervisor) {
  const auto pidfd = open_pidfd(supervisor.pid);
  const auto stat = read_process_stat(supervisor.pid);
  if (!pidfd || !stat || stat->start_time != supervisor.start_time || stat->state != 'T') return;
  (void)signal_pidfd(pidfd->get(), SIGCONT);
}

// A record is a claim: what it calls its supervisor is not killed if it runs another program. One that is ending has no
// program any more.
bool runs_another_program(pid_t pid) {
  char path[PATH_MAX] = {};
  if (::readlink(cat("/proc/", pid, "/exe").c_str(), path, sizeof path - 1) <= 0) return false;
  std::string_view name(path);
  if (name.ends_with(" (deleted)")) name.remove_suffix(10);  // replaced by an upgrade
  return !name.ends_with("/agentctl");
}

// The supervisor does not answer: end it, which ends the session by the kernel alone, then sweep.
Result<void> end_without_supervisor(const KnownSession& session) {
  const ProcessIdentity& supervisor = session.record.supervisor;
  const auto pidfd = open_pidfd(supervisor.pid);
  // Opened first, then compared: the descriptor is of the process that was compared.
  if (pidfd && is_alive(supervisor)) {
    if (runs_another_program(supervisor.pid)) {
      return make_error(ErrorKind::system, cat("process ", supervisor.pid, " is no agentctl"),
                        cat("the record in ", shell_quote(session.directory), " is damaged; remove it"));
    }
    notice(cat("'", session.record.name, "': its supervisor does not answer; killing it"));
    const auto sent = signal_pidfd(pidfd->get(), SIGKILL);
    if (!sent && sent.error().sys_errno != ESRCH) return sent.error();
    pollfd ended{pidfd->get(), POLLIN, 0};
    if (::poll(&ended, 1, static_cast<int>(kBeyondGraceUsec / 1000U)) == 0) {
      return make_error(ErrorKind::system, cat("the supervisor (", supervisor.pid, ") does not end"));
    }
  }
  (void)list_sessions();
  return {};
}

Result<void> await_end(Request& request, std::uint64_t grace_usec, std::uint64_t asked_at) {
  const Record& record = request.session.record;
  if (!request.connection) return end_without_supervisor(request.session);
  std::uint64_t deadline = 0;
  if (__builtin_add_overflow(asked_at + kBeyondGraceUsec, grace_usec, &deadline)) deadline = kInfinity;
  const auto remaining = [&] {
    const std::uint64_t now = monotonic_usec();
    return now < deadline ? deadline - now : 0;
  };
  auto answer = wait_answer(request.connection->get(), std::min(kWordAfterUsec, remaining()));
  if (!answer && answer.error().sys_errno == ETIMEDOUT) {
    notice(cat("waiting for '", record.name, "' to end by itself (grace ", format_duration(grace_usec), ")"));
    answer = wait_answer(request.connection->get(), remaining());
  }
  if (!answer) return end_without_supervisor(request.session);
  for (const std::string& line : split(*answer, '\n')) {
    if (line.starts_with("killed ")) notice(cat("'", record.name, "': had to kill ", printable(line.substr(7))));
    if (line.starts_with("surface ")) {
      notice(cat("'", record.name, "': the host may run what was changed (", printable(line.substr(8)),
                 " files): see 'agentctl receipt ", record.name, "'"));
    }
    if (line.starts_with("problem "))
      return make_error(ErrorKind::system, cat("'", record.name, "': ", printable(line.substr(8))));
    if (line.starts_with("error"))
      return make_error(ErrorKind::internal, cat("'", record.name, "': ", printable(line)));
  }
  return {};
}

}  // namespace

Result<int> run_stop(const StopOptions& options) {
  const Listing listing = list_sessions();
  std::vector<KnownSession> sessions;
  if (options.all) sessions = listing.sessions;
  for (const std::string& name : options.names) {
    KnownSession session = AGENTCTL_TRY(find_session(listing, name));
    bool is_new = true;
    for (const KnownSession& other : sessions) is_new &= other.record.id != session.record.id;
    if (is_new) sessions.push_back(std::move(session));
  }
  int status = kExitSuccess;
  if (options.all && !listing.unread.empty()) {
    print_error(explain_unread(listing));
    status = kExitRuntime;
  }
  if (sessions.empty() && status == kExitSuccess) notice("no session is running");

  // All are asked first, so that their graces run side by side.
  const std::uint64_t asked_at = monotonic_usec();
  std::vector<Request> requests;
  for (const KnownSession& session : sessions) {
    requests.push_back({session, send_control(session.directory, to_text(StopRequest{options.grace_usec}))});
    wake_if_stopped(session.record.supervisor);
  }
  for (Request& request : requests) {
    if (const auto ended = await_end(request, options.grace_usec, asked_at); !ended) {
      print_error(ended.error());
      status = kExitRuntime;
    }
  }
  return status;
}

}  // namespace agentctl::manager
