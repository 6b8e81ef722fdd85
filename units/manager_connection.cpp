// SPDX-License-Identifier: Apache-2.0
#include "units/manager_connection.h"

#include <unistd.h>

#include <utility>

#include "units/bus_address.h"
#include "units/private_manager.h"
#include "units/scope_broker.h"

namespace agentctl::units {
namespace {

// A manager that was there before us and stays.
class SharedConnection : public ManagerConnection {
 public:
  SharedConnection(ManagerKind kind, std::unique_ptr<ScopeManager> scopes) : kind_(kind), scopes_(std::move(scopes)) {}

  [[nodiscard]] ManagerKind kind() const override { return kind_; }
  [[nodiscard]] ScopeManager& scopes() override { return *scopes_; }
  [[nodiscard]] Result<void> adopt(pid_t) override { return {}; }
  [[nodiscard]] std::string cgroup_prefix() const override { return {}; }
  [[nodiscard]] pid_t manager_pid() const override { return 0; }

 private:
  ManagerKind kind_;
  std::unique_ptr<ScopeManager> scopes_;
};

}  // namespace

Result<std::unique_ptr<ManagerConnection>> connect_manager(ScopeBroker& broker, const std::string& session_id,
                                                           const Deadlines& deadlines) {
  const ManagerKind kind = AGENTCTL_TRY(broker.finish_connect());
  if (kind == ManagerKind::private_manager) return PrivateManager::start(broker, session_id, deadlines);
  return std::unique_ptr<ManagerConnection>(std::make_unique<SharedConnection>(kind, broker.make_scope_manager()));
}

Result<std::unique_ptr<ScopeManager>> reconnect_manager(ScopeBroker& broker, ManagerKind kind, pid_t manager_pid,
                                                        const Deadlines& deadlines) {
  if (kind == ManagerKind::private_manager) {
    ManagerSocket socket =
        AGENTCTL_TRY(connect_socket(private_manager_socket(manager_pid), ::geteuid(), deadlines.call_msec));
    AGENTCTL_TRY_VOID(broker.connect_private(std::move(socket.fd), deadlines));
  } else {
    AGENTCTL_TRY_VOID(broker.begin_connect(kind, deadlines));
    AGENTCTL_TRY(broker.finish_connect());
  }
  return broker.make_scope_manager();
}

}  // namespace agentctl::units
