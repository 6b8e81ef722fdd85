// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <optional>
#include <string>

#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/log_reader.h"
#include "manager/logged_session.h"
#include "manager/notice.h"
#include "manager/plain_output.h"
#include "manager/session_log.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

constexpr const char* kGap = "[… earlier output dropped]";

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

}  // namespace

Result<int> run_logs(const LogsOptions& options) {
  if (options.net) return run_net_logs(options);
  if (options.raw && ::isatty(1) != 0) {
    return make_error(ErrorKind::usage, "--raw does not print to a terminal: it would obey what the agent printed",
                      "send it to a file or a program, or leave --raw out");
  }
  const std::string state = AGENTCTL_TRY(state_dir_path());
  const LoggedSession session = AGENTCTL_TRY(find_logged_session(options.name, state));
  if (!session.has_terminal) {
    return make_error(ErrorKind::system, cat("'", session.name, "' has no log: what it prints goes to pipes or files"));
  }
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
