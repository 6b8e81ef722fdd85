// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>

#include "base/text.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/remote/remote_command.h"
#include "manager/remote/ssh_client.h"

namespace agentctl::manager {
namespace {

constexpr int kSshFailed = 255;  // ssh(1), EXIT STATUS

}  // namespace

Result<int> run_remote(const RemoteOptions& options) {
  const bool is_on_terminal = options.wants_terminal && ::isatty(0) == 1 && ::isatty(1) == 1;
  const SshEnd end = AGENTCTL_TRY(
      with_context(cat("cannot reach '", printable(options.host), "'"), run_ssh(ssh_words(options, is_on_terminal))));
  const bool has_failed = end.killed_by != 0 || end.status == kSshFailed;
  if (!has_failed) return end.status;
  if (end.asked_by != 0) return kExitSignalBase + end.asked_by;
  const std::string host = printable(options.host);
  if (end.killed_by != 0) {
    return make_error(ErrorKind::system,
                      cat("the connection to '", host, "' is lost: ssh was killed by signal ", end.killed_by));
  }
  return make_error(ErrorKind::system, cat("the connection to '", host, "' failed or was lost: ssh ended with 255"),
                    cat("what ssh said is above; see if 'ssh ", host, "' works"));
}

}  // namespace agentctl::manager
