// SPDX-License-Identifier: Apache-2.0
// SystemdScopeManager: scopes of a real systemd, 252 to 262, and the services of detached sessions, over one connection
// (org.freedesktop.systemd1(5), systemd.scope(5)). Owns the connection. Every wait has a deadline; after one that
// passed the unit is told to stop without waiting for an answer, so that a manager that wakes up later leaves nothing
// either.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "units/bus.h"
#include "units/job_tracker.h"
#include "units/manager_connection.h"
#include "units/scope_manager.h"
#include "units/scope_properties.h"
#include "units/session_service.h"

namespace agentctl::units {

class SystemdScopeManager : public ScopeManager {
 public:
  // Greets the manager and asks its version. `same_pid_namespace`: process numbers mean the same to it and to us; else
  // only pidfds are sent, which systemd knows from 255 on.
  [[nodiscard]] static Result<std::unique_ptr<SystemdScopeManager>> connect(UniqueFd socket, bool message_bus,
                                                                            bool same_pid_namespace,
                                                                            const Deadlines& deadlines);

  [[nodiscard]] Result<ScopeStarted> start(const ScopeRequest& request) override;
  // start() in two halves: until the job is done (control_group is then still empty), and what the manager says of the
  // unit: that it is active, and its Scope.ControlGroup.
  [[nodiscard]] Result<ScopeStarted> start_job(const ScopeRequest& request);
  [[nodiscard]] Result<std::string> confirm(const std::string& unit);
  [[nodiscard]] Result<void> set_limits(const std::string& unit, const ScopeLimits& limits) override;
  [[nodiscard]] Result<void> set_slice_limits(const std::string& slice, const SliceLimits& limits) override;
  [[nodiscard]] Result<std::vector<std::string>> drop_ins(const std::string& unit) override;
  [[nodiscard]] Result<void> stop(const std::string& unit) override;
  // Returns when the service's program is executing. On any error nothing is left, as of start().
  [[nodiscard]] Result<void> start_service(const SessionService& service);

  [[nodiscard]] int version() const { return version_; }

 private:
  SystemdScopeManager(Bus bus, bool same_pid_namespace, const Deadlines& deadlines)
      : bus_(std::move(bus)), same_pid_namespace_(same_pid_namespace), deadlines_(deadlines) {}

  static int note_job_removed(sd_bus_message* signal, void* self, sd_bus_error* error) noexcept;

  struct Attempt;
  [[nodiscard]] Result<std::string> request_start(const ScopeRequest& request, Attempt& attempt);
  [[nodiscard]] Result<std::string> call_start(const std::string& unit, const Attempt& attempt,
                                               std::string& error_name);
  [[nodiscard]] Result<void> wait_for_job(const std::string& unit);
  [[nodiscard]] Result<std::string> read_control_group(const std::string& unit, unsigned msec);
  [[nodiscard]] Result<std::unique_ptr<PendingCall>> ask_property(const std::string& unit_path, const char* interface,
                                                                  const char* property);
  [[nodiscard]] Result<std::string> read_string(PendingCall& call, unsigned msec);
  [[nodiscard]] Result<void> set_properties(const std::string& unit, const std::vector<ScopeProperty>& properties);
  [[nodiscard]] Result<MessagePtr> unit_call(const char* member, const std::string& unit);
  [[nodiscard]] Result<void> reset_failed(const std::string& unit);
  void abandon(const std::string& unit, bool manager_answers);

  Bus bus_;
  std::unique_ptr<JobTracker> jobs_ = std::make_unique<JobTracker>();
  SlotPtr job_removed_;  // calls back into this object
  bool same_pid_namespace_;
  Deadlines deadlines_;
  int version_ = 0;
};

}  // namespace agentctl::units
