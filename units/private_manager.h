// SPDX-License-Identifier: Apache-2.0
// PrivateManager: a service manager of one session's own, for root where no other can be reached (containers, rescue
// shells, CI). Owns the process, its cgroups and the connection, and takes them down in that order.
#pragma once

#include <memory>
#include <string>

#include "units/manager_connection.h"
#include "units/private_manager_process.h"
#include "units/private_subtree.h"
#include "units/scope_broker.h"

namespace agentctl::units {

class PrivateManager : public ManagerConnection {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ManagerConnection>> start(ScopeBroker& broker,
                                                                        const std::string& session_id,
                                                                        const Deadlines& deadlines);

  [[nodiscard]] ManagerKind kind() const override { return ManagerKind::private_manager; }
  [[nodiscard]] ScopeManager& scopes() override { return *scopes_; }
  [[nodiscard]] Result<void> adopt(pid_t pid) override { return subtree_.adopt(pid); }
  [[nodiscard]] std::string cgroup_prefix() const override { return subtree_.prefix(); }
  [[nodiscard]] pid_t manager_pid() const override { return process_.pid(); }

 private:
  PrivateManager(PrivateSubtree subtree, PrivateManagerProcess process, std::unique_ptr<ScopeManager> scopes)
      : subtree_(std::move(subtree)), process_(std::move(process)), scopes_(std::move(scopes)) {}

  // Destroyed from the last to the first.
  PrivateSubtree subtree_;
  PrivateManagerProcess process_;
  std::unique_ptr<ScopeManager> scopes_;
};

}  // namespace agentctl::units
