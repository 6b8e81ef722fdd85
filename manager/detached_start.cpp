// SPDX-License-Identifier: Apache-2.0
#include "manager/detached_start.h"

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "manager/detached_channel.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/own_program.h"
#include "manager/registry.h"
#include "manager/session_name.h"
#include "manager/session_view.h"
#include "manager/surroundings.h"
#include "units/shared_manager.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr int kWordAfterMsec = 1000;

// Of the terminal that start was typed at, whichever stream still leads to it.
WindowSize window_size() {
  winsize size{};
  for (const int stream : {STDOUT_FILENO, STDIN_FILENO, STDERR_FILENO}) {
    if (::ioctl(stream, TIOCGWINSZ, &size) == 0) return {size.ws_row, size.ws_col};
  }
  return {};
}

DetachedRequest make_request(const StartOptions& options, std::string session_id) {
  DetachedRequest request;
  request.session_id = std::move(session_id);
  request.words = options.words;
  for (char** entry = environ; *entry != nullptr; ++entry) request.environment.emplace_back(*entry);
  request.file_mask = ::umask(0);
  ::umask(request.file_mask);
  request.window = window_size();
  return request;
}

Result<units::SharedManager> find_manager(units::ManagerKind wanted) {
  units::SharedManager manager = AGENTCTL_TRY(units::find_shared_manager(wanted, units::Deadlines{}));
  if (manager.kind != units::ManagerKind::private_manager) return manager;
  return make_error(ErrorKind::environment,
                    "cannot detach: no service manager answers here, and a private one would end with its starter",
                    "start without --detach, in a terminal that stays (tmux, screen)");
}

Result<units::ManagerKind> start_supervisor(const StartOptions& options, const std::string& session_id,
                                            UniqueFd standard_input) {
  const units::SharedManager manager = AGENTCTL_TRY(find_manager(options.manager));
  units::SessionService service;
  service.unit = units::service_name(session_id);
  if (manager.kind == units::ManagerKind::user) service.slice = "app.slice";
  service.description = cat("agentctl: supervisor of the detached session ", session_id);
  service.argv = {AGENTCTL_TRY(own_program()), std::string(kSuperviseVerb)};
  service.standard_input.fd = standard_input.get();
  AGENTCTL_TRY_VOID(manager.scopes->start_service(service));
  return manager.kind;
}

Result<DetachedAnswer> await_answer(int channel, const std::string& session_id) {
  pollfd readable{channel, POLLIN, 0};
  int waits = kWordAfterMsec;
  while (::poll(&readable, 1, waits) <= 0) {
    if (waits > 0 && ::isatty(STDERR_FILENO) != 0) notice("still starting …");
    waits = -1;
  }
  auto answer = receive_answer(channel);
  if (!answer && answer.error().sys_errno == ECONNRESET) {
    answer.error().message = "the session's supervisor has ended before the session ran";
    answer.error().hint = cat("see 'journalctl --user -n 20 -u ", units::service_name(session_id), "'");
  }
  return answer;
}

// systemd-logind's own mark (loginctl(1)): without it the user's service manager ends with the last login.
bool ends_at_logout(units::ManagerKind manager) {
  if (manager != units::ManagerKind::user) return false;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr && ::access(cat("/var/lib/systemd/linger/", entry->pw_name).c_str(), F_OK) != 0;
}

std::string describe_json(const DetachedAnswer& session) {
  const auto known = find_session(list_sessions(), session.id);
  if (known) return session_json(view_session(known->record));
  return JsonObject().text("name", session.name).text("id", session.id).text("state", "ended").str();  // so soon
}

}  // namespace

Result<int> start_detached(const StartOptions& options) {
  const std::string session_id = AGENTCTL_TRY(make_session_id());
  SocketPair channel = AGENTCTL_TRY(make_detached_channel());
  DetachedRequest request = make_request(options, session_id);
  request.surroundings = AGENTCTL_TRY(read_surroundings());
  request.groups = AGENTCTL_TRY(read_groups());
  const UniqueFd directory = AGENTCTL_TRY(open_at(AT_FDCWD, ".", O_PATH | O_DIRECTORY));
  AGENTCTL_TRY_VOID(send_handover(channel.ours.get(), request, directory.get(), STDERR_FILENO));
  const units::ManagerKind manager = AGENTCTL_TRY(start_supervisor(options, session_id, std::move(channel.theirs)));

  const DetachedAnswer answer = AGENTCTL_TRY(await_answer(channel.ours.get(), session_id));
  if (answer.kind == DetachedAnswer::Kind::ended) return answer.status;
  AGENTCTL_TRY_VOID(write_all(STDOUT_FILENO, (options.json ? describe_json(answer) : answer.name) + "\n"));
  // Only now: a name that could not be printed is nobody's session. A broken pipe: its agent has ended already.
  if (const auto heard = send_heard(channel.ours.get()); !heard && heard.error().sys_errno != EPIPE) {
    return heard.error();
  }
  if (!options.quiet && ends_at_logout(manager))
    notice("it ends at your logout; to keep it running: loginctl enable-linger");
  return kExitSuccess;
}

}  // namespace agentctl::manager
