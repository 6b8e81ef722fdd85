// SPDX-License-Identifier: Apache-2.0
#include "units/shared_manager.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "units/bus_address.h"

namespace agentctl::units {
namespace {

bool is_in_our_pid_namespace(pid_t peer) {
  if (peer <= 0) return false;
  const auto status = read_file(cat("/proc/", peer, "/status"));
  return status && shares_pid_namespace(*status);
}

Result<SharedManager> try_address(const BusAddress& address, ManagerKind kind, uid_t owner,
                                  const Deadlines& deadlines) {
  ManagerSocket socket = AGENTCTL_TRY(connect_socket(address.socket, owner, deadlines.call_msec));
  auto scopes =
      AGENTCTL_TRY(with_context(cat("at '", printable(address.socket), "'"),
                                SystemdScopeManager::connect(std::move(socket.fd), address.message_bus,
                                                             is_in_our_pid_namespace(socket.peer), deadlines)));
  return SharedManager{kind, std::move(scopes)};
}

// The first that answers. A manager that accepts but stays silent ends the search: its bus would be silent too.
Result<SharedManager> connect_shared(const std::vector<BusAddress>& addresses, ManagerKind kind, uid_t owner,
                                     const Deadlines& deadlines) {
  Error reason = make_error(ErrorKind::environment, "no socket of it is known");
  bool found_one = false;
  for (const BusAddress& address : addresses) {
    auto connection = try_address(address, kind, owner, deadlines);
    if (connection) return connection;
    const bool absent = connection.error().sys_errno == ENOENT;
    const bool silent = connection.error().sys_errno == ETIMEDOUT;
    if (!absent || !found_one) reason = std::move(connection).error();  // what is there and fails says more
    found_one |= !absent;
    if (silent) break;
  }
  reason.prepend(cat("cannot reach the ", to_string(kind), " service manager"));
  if (reason.kind != ErrorKind::bus) reason.kind = ErrorKind::environment;
  return reason;
}

Result<SharedManager> connect_user(const Deadlines& deadlines) {
  const AddressSources sources = read_address_sources();
  auto connection = connect_shared(user_addresses(sources), ManagerKind::user, sources.user, deadlines);
  if (!connection && connection.error().hint.empty()) {
    connection.error().hint =
        cat("log in as this user (su and sudo start no user manager), or: loginctl enable-linger; ",
            "then set XDG_RUNTIME_DIR=/run/user/", sources.user);
  }
  return connection;
}

Result<SharedManager> connect_system(const Deadlines& deadlines) {
  if (::geteuid() != 0) {
    return make_error(ErrorKind::environment, "cannot use the system service manager: only root may",
                      "use the user manager: --manager user");
  }
  return connect_shared(system_addresses(), ManagerKind::system, 0, deadlines);
}

bool is_booted_with_systemd() { return ::access("/run/systemd/system", F_OK) == 0; }

Result<SharedManager> connect_any(const Deadlines& deadlines) {
  auto connection = connect_user(deadlines);
  const bool silent = !connection && connection.error().sys_errno == ETIMEDOUT;
  if (connection || silent || ::geteuid() != 0) return connection;
  if (is_booted_with_systemd()) return connect_system(deadlines);
  return SharedManager{ManagerKind::private_manager, nullptr};
}

}  // namespace

Result<SharedManager> find_shared_manager(ManagerKind wanted, const Deadlines& deadlines) {
  switch (wanted) {
    case ManagerKind::automatic:
      return connect_any(deadlines);
    case ManagerKind::user:
      return connect_user(deadlines);
    case ManagerKind::system:
      return connect_system(deadlines);
    case ManagerKind::private_manager:
      return SharedManager{ManagerKind::private_manager, nullptr};
  }
  return make_error(ErrorKind::internal, "unknown kind of manager");
}

}  // namespace agentctl::units
