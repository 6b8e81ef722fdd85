// SPDX-License-Identifier: Apache-2.0
#include "manager/logged_session.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <utility>

#include "base/process.h"
#include "manager/kept_receipts.h"
#include "manager/registry.h"

namespace agentctl::manager {
namespace {

constexpr int kLookAgainMsec = 200;  // where the user's inotify instances are used up

}  // namespace

Result<LoggedSession> find_logged_session(const std::string& name, const std::string& state) {
  const Listing listing = list_sessions();
  const auto running = find_session(listing, name);
  if (running) {
    const Record& record = running->record;
    auto supervisor = open_pidfd(record.supervisor.pid);
    return LoggedSession{record.id, record.name, supervisor ? std::move(*supervisor) : UniqueFd(),
                         !record.tty.empty() || record.state == "starting", record.network};
  }
  if (running.error().kind == ErrorKind::usage) return running.error();
  const auto receipts = AGENTCTL_TRY(read_receipts(state + "/receipts"));
  const auto ended = find_receipt(receipts, name);
  if (!ended && ended.error().kind == ErrorKind::usage) return ended.error();
  if (!ended) return running.error();
  const JsonValue& receipt = (*ended)->value;
  return LoggedSession{receipt["id"].text, receipt["name"].text, {}, true, receipt["network"]["mode"].text};
}

LogWatch::LogWatch(const std::string& path) : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (inotify_.valid() && ::inotify_add_watch(inotify_.get(), path.c_str(), IN_CREATE | IN_MODIFY) < 0) {
    inotify_.reset();
  }
}

void LogWatch::add(const std::string& path) {
  if (inotify_.valid()) (void)::inotify_add_watch(inotify_.get(), path.c_str(), IN_MODIFY);
}

bool LogWatch::wait(int supervisor) {
  pollfd waited[] = {{inotify_.get(), POLLIN, 0}, {supervisor, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
  ::poll(waited, 3, inotify_.valid() ? -1 : kLookAgainMsec);
  char events[4096];
  while (inotify_.valid() && ::read(inotify_.get(), events, sizeof events) > 0) {
  }
  return waited[1].revents != 0 || waited[2].revents != 0;
}

}  // namespace agentctl::manager
