// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/log.h"
#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/surroundings.h"
#include "manager/waiting_caller.h"

namespace agentctl::manager {
namespace {

// From here on this process means by a path, a variable and a mode what its starter means.
Result<void> become_like(const Handover& handover) {
  if (::fchdir(handover.directory.get()) != 0) return errno_error("cannot enter the current directory");
  ::umask(handover.request.file_mask);
  if (::clearenv() != 0) return errno_error("cannot clear the environment");
  for (const std::string& entry : handover.request.environment) {
    constexpr int kKeepFirst = 0;  // as getenv(3) does where a name is there twice
    const std::size_t equals = entry.find('=');
    if (::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, kKeepFirst) != 0) {
      return errno_error("cannot set up the environment");
    }
  }
  log::set_up();
  return {};
}

Result<Command> parse_words(std::vector<std::string> words) {
  std::string program = "agentctl";
  std::vector<char*> argv = {program.data()};
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_command_line(static_cast<int>(argv.size()) - 1, argv.data());
}

Result<int> start_for(WaitingCaller& caller, const Handover& handover) {
  const std::vector<std::string> own = AGENTCTL_TRY(read_surroundings());
  AGENTCTL_TRY_VOID(compare_surroundings(handover.request.surroundings, own));
  const std::vector<std::string> own_groups = AGENTCTL_TRY(read_groups());
  const std::vector<std::string> missing = AGENTCTL_TRY(compare_groups(handover.request.groups, own_groups));
  AGENTCTL_TRY_VOID(become_like(handover));
  const Command command = AGENTCTL_TRY(parse_words(handover.request.words));
  const auto* options = std::get_if<StartOptions>(&command);
  if (options == nullptr) return make_error(ErrorKind::internal, "the request for a detached session is no start");
  if (!missing.empty() && !options->quiet) {
    notice(cat("warning: the service manager, and with it the session, is not in your groups ", join(missing, ", "),
               ": log in anew"));
  }
  return run_start(*options, &caller);
}

}  // namespace

Result<int> run_supervise() {
  Handover handover = AGENTCTL_TRY(receive_handover(STDIN_FILENO));
  WaitingCaller caller = AGENTCTL_TRY(WaitingCaller::take(handover));
  handover.standard_error.reset();
  const auto status = start_for(caller, handover);
  if (!status) print_error(status.error());
  caller.tell_ended(status ? *status : exit_status_of(status.error().kind, true));
  return kExitSuccess;  // how it went was told to whom it concerns; the service has done its work
}

}  // namespace agentctl::manager
