// SPDX-License-Identifier: Apache-2.0
#include "units/manager_connection.h"

#include <unistd.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "units/bus_address.h"
#include "units/private_manager.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {
namespace {

// A manager that was there before us and stays.
class SharedManager : public ManagerConnection {
 public:
  SharedManager(ManagerKind kind, std::unique_ptr<SystemdScopeManager> scopes)
      : kind_(kind), scopes_(std::move(scopes)) {}

  [[nodiscard]] ManagerKind kind() const override { return kind_; }
  [[nodiscard]] ScopeManager& scopes() override { return *scopes_; }
  [[nodiscard]] Result<void> adopt(pid_t) override { return {}; }
  [[nodiscard]] std::string cgroup_prefix() const override { return {}; }
  [[nodiscard]] pid_t manager_pid() const override { return 0; }
  void close_bus() override { scopes_.reset(); }

 private:
  ManagerKind kind_;
  std::unique_ptr<SystemdScopeManager> scopes_;
};

bool is_in_our_pid_namespace(pid_t peer) {
  if (peer <= 0) return false;
  const auto status = read_file(cat("/proc/", peer, "/status"));
  return status && shares_pid_namespace(*status);
}

Result<std::unique_ptr<ManagerConnection>> try_address(const BusAddress& address, ManagerKind kind, uid_t owner,
                                                       const Deadlines& deadlines) {
  ManagerSocket socket = AGENTCTL_TRY(connect_socket(address.socket, owner, deadlines.call_msec));
  auto scopes =
      AGENTCTL_TRY(with_context(cat("at '", printable(address.socket), "'"),
                                SystemdScopeManager::connect(std::move(socket.fd), address.message_bus,
                                                             is_in_our_pid_namespace(socket.peer), deadlines)));
  return std::unique_ptr<ManagerConnection>(std::make_unique<SharedManager>(kind, std::move(scopes)));
}

// The first that answers. A manager that accepts but stays silent ends the search: its bus would be silent too.
Result<std::unique_ptr<ManagerConnection>> connect_shared(const std::vector<BusAddress>& addresses, ManagerKind kind,
                                                          uid_t owner, const Deadlines& deadlines) {
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

Result<std::unique_ptr<ManagerConnection>> connect_user(const Deadlines& deadlines) {
  const AddressSources sources = read_address_sources();
  auto connection = connect_shared(user_addresses(sources), ManagerKind::user, sources.user, deadlines);
  if (!connection && connection.error().hint.empty()) {
    connection.error().hint =
        cat("log in as this user (su and sudo start no user manager), or: loginctl enable-linger; ",
            "then set XDG_RUNTIME_DIR=/run/user/", sources.user);
  }
  return connection;
}

Result<std::unique_ptr<ManagerConnection>> connect_system(const Deadlines& deadlines) {
  if (::geteuid() != 0) {
    return make_error(ErrorKind::environment, "cannot use the system service manager: only root may",
                      "use the user manager: --manager user");
  }
  return connect_shared(system_addresses(), ManagerKind::system, 0, deadlines);
}

bool is_booted_with_systemd() { return ::access("/run/systemd/system", F_OK) == 0; }

Result<std::unique_ptr<ManagerConnection>> connect_any(const std::string& session_id, const Deadlines& deadlines) {
  auto connection = connect_user(deadlines);
  const bool silent = !connection && connection.error().sys_errno == ETIMEDOUT;
  if (connection || silent || ::geteuid() != 0) return connection;
  if (is_booted_with_systemd()) return connect_system(deadlines);
  return PrivateManager::start(session_id, deadlines);
}

}  // namespace

Result<std::unique_ptr<ManagerConnection>> connect_manager(ManagerKind wanted, const std::string& session_id,
                                                           const Deadlines& deadlines) {
  switch (wanted) {
    case ManagerKind::automatic:
      return connect_any(session_id, deadlines);
    case ManagerKind::user:
      return connect_user(deadlines);
    case ManagerKind::system:
      return connect_system(deadlines);
    case ManagerKind::private_manager:
      return PrivateManager::start(session_id, deadlines);
  }
  return make_error(ErrorKind::internal, "unknown kind of manager");
}

}  // namespace agentctl::units
