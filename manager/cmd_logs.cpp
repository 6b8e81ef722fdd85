// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <optional>
#include <string>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/kept_receipts.h"
#include "manager/log_reader.h"
#include "manager/notice.h"
#include "manager/plain_output.h"
#include "manager/registry.h"
#include "manager/session_log.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

constexpr const char* kGap = "[… earlier output dropped]";
constexpr int kLookAgainMsec = 200;  // where the user's inotify instances are used up

struct LoggedSession {
  std::string id;
  UniqueFd supervisor;  // pidfd; none: the session is over
};

// One that runs, else the one of that name that ended last.
Result<LoggedSession> find_logged_session(const std::string& name, const std::string& state) {
  const Listing listing = list_sessions();
  const auto running = find_session(listing, name);
  if (running) {
    if (running->record.tty.empty() && running->record.state != "starting") {
      return make_error(ErrorKind::system,
                        cat("'", running->record.name, "' has no log: what it prints goes to pipes or files"));
    }
    auto supervisor = open_pidfd(running->record.supervisor.pid);
    return LoggedSession{running->record.id, supervisor ? std::move(*supervisor) : UniqueFd()};
  }
  if (running.error().kind == ErrorKind::usage) return running.error();
  const auto receipts = AGENTCTL_TRY(read_receipts(state + "/receipts"));
  const auto ended = find_receipt(receipts, name);
  if (!ended && ended.error().kind == ErrorKind::usage) return ended.error();
  if (!ended) return running.error();
  return LoggedSession{(*ended)->value["id"].text, {}};
}

class Printer {
 public:
  explicit Printer(bool is_raw) : is_raw_(is_raw) {}

  Result<void> print(const LogReader::Part& part) {
    if (is_raw_) {
      if (part.follows_a_gap) notice(kGap);
      return write_all(1, part.bytes);
    }
    if (part.follows_a_gap) AGENTCTL_TRY_VOID(write_all(1, cat(plain_.rest(), kGap, "\n")));
    return write_all(1, plain_.pass(part.bytes));
  }
  Result<void> finish() { return write_all(1, plain_.rest()); }

 private:
  bool is_raw_;
  PlainOutput plain_;
};

// Waits until the log has changed or the session is over; true: it is over, or nobody reads any more what we print,
// which a session that prints nothing would never let us know.
class LogWatch {
 public:
  explicit LogWatch(const std::string& directory) : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (inotify_.valid() && ::inotify_add_watch(inotify_.get(), directory.c_str(), IN_CREATE | IN_MODIFY) < 0) {
      inotify_.reset();
    }
  }
  bool wait(int supervisor) {
    pollfd waited[] = {{inotify_.get(), POLLIN, 0}, {supervisor, POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
    ::poll(waited, 3, inotify_.valid() ? -1 : kLookAgainMsec);
    char events[4096];
    while (inotify_.valid() && ::read(inotify_.get(), events, sizeof events) > 0) {
    }
    return waited[1].revents != 0 || waited[2].revents != 0;
  }

 private:
  UniqueFd inotify_;
};

}  // namespace

Result<int> run_logs(const LogsOptions& options) {
  if (options.raw && ::isatty(1) != 0) {
    return make_error(ErrorKind::usage, "--raw does not print to a terminal: it would obey what the agent printed",
                      "send it to a file or a program, or leave --raw out");
  }
  const std::string state = AGENTCTL_TRY(state_dir_path());
  const LoggedSession session = AGENTCTL_TRY(find_logged_session(options.name, state));
  const std::string directory = log_directory(state, session.id);
  const bool follows = options.follow && session.supervisor.valid();
  std::optional<LogWatch> watch;
  if (follows) {
    AGENTCTL_TRY_VOID(own_directory(directory));  // it may have printed nothing yet
    watch.emplace(directory);
  }
  LogReader reader(directory);
  Printer printer(options.raw);
  bool is_empty = true;
  for (bool is_over = !follows;;) {
    while (true) {
      const LogReader::Part part = AGENTCTL_TRY(reader.read());
      if (part.bytes.empty()) break;
      AGENTCTL_TRY_VOID(printer.print(part));
      is_empty = false;
    }
    if (is_over) break;
    is_over = watch->wait(session.supervisor.get());
  }
  AGENTCTL_TRY_VOID(printer.finish());
  if (is_empty && !session.supervisor.valid()) notice("nothing is kept of what it printed");
  return kExitSuccess;
}

}  // namespace agentctl::manager
