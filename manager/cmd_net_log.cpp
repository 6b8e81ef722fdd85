// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <optional>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/door_log.h"
#include "manager/door_log_reader.h"
#include "manager/exit_status.h"
#include "manager/json_value.h"
#include "manager/logged_session.h"
#include "manager/net_line.h"
#include "manager/notice.h"
#include "manager/session_log.h"
#include "manager/state_dirs.h"

namespace agentctl::manager {
namespace {

constexpr const char* kGap = "[… earlier events dropped]";

class Printer {
 public:
  Printer(bool is_json, std::string session) : is_json_(is_json), session_(std::move(session)) {}

  // The door's process writes it, which hears whatever the inside says: what is no line of JSON is not passed on.
  [[nodiscard]] Result<void> print(const DoorLogReader::Part& part) const {
    if (part.follows_a_gap) notice(kGap);
    std::string text;
    for (const std::string& line : part.lines) {
      const auto event = parse_json(line);
      if (event) text += cat(is_json_ ? printable(line) : net_line(*event, session_), "\n");
    }
    return write_all(1, text);
  }

 private:
  bool is_json_;
  std::string session_;
};

Error has_none(const LoggedSession& session) {
  return make_error(ErrorKind::system,
                    cat("'", printable(session.name), "' has no log of its network, whose mode ",
                        session.supervisor.valid() ? "is '" : "was '", printable(session.network), "'"),
                    "with --net allowlist there is one");
}

}  // namespace

Result<int> run_net_logs(const LogsOptions& options) {
  const std::string state = AGENTCTL_TRY(state_dir_path());
  const LoggedSession session = AGENTCTL_TRY(find_logged_session(options.name, state));
  if (!session.network.empty() && session.network != "allowlist") return has_none(session);
  const std::string path = door_log_path(state, session.id);
  const bool follows = options.follow && session.supervisor.valid();
  std::optional<LogWatch> watch;
  if (follows) {
    const std::string directory = log_directory(state, session.id);
    AGENTCTL_TRY_VOID(own_directory(directory));
    watch.emplace(directory);
  }
  DoorLogReader reader(path);
  const Printer printer(options.json || ::isatty(1) == 0, session.supervisor.valid() ? session.name : std::string());
  for (bool is_over = !follows;;) {
    if (watch) watch->add(path);
    while (true) {
      const DoorLogReader::Part part = AGENTCTL_TRY(reader.read());
      AGENTCTL_TRY_VOID(printer.print(part));
      if (part.lines.empty()) break;
    }
    if (is_over) break;
    is_over = watch->wait(session.supervisor.get());
  }
  if (!reader.is_there() && !session.supervisor.valid()) notice("nothing is kept of its network");
  return kExitSuccess;
}

}  // namespace agentctl::manager
