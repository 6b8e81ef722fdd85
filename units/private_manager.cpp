// SPDX-License-Identifier: Apache-2.0
#include "units/private_manager.h"

#include <unistd.h>

#include <utility>

#include "units/bus_address.h"

namespace agentctl::units {

Result<std::unique_ptr<ManagerConnection>> PrivateManager::start(ScopeBroker& broker, const std::string& session_id,
                                                                 const Deadlines& deadlines) {
  if (::geteuid() != 0) {
    return make_error(ErrorKind::environment, "cannot run a private service manager: only root may make cgroups here",
                      "log in where a systemd user manager runs, or run as root");
  }
  PrivateSubtree subtree = AGENTCTL_TRY(PrivateSubtree::create(session_id));
  PrivateManagerProcess process = AGENTCTL_TRY(PrivateManagerProcess::start(subtree, deadlines.job_msec));
  ManagerSocket socket = AGENTCTL_TRY(connect_socket(process.socket(), ::geteuid(), deadlines.call_msec));
  AGENTCTL_TRY_VOID(broker.connect_private(std::move(socket.fd), deadlines));
  return std::unique_ptr<ManagerConnection>(
      new PrivateManager(std::move(subtree), std::move(process), broker.make_scope_manager()));
}

}  // namespace agentctl::units
