// SPDX-License-Identifier: Apache-2.0
// Autostart: starts what [[autostart]] of the user's own policy names, once in the life of the user manager, each entry
// detached, by this program's own `start`, side by side. Nothing waits for them, and what fails holds up nothing else.
// The sessions are the user manager's then: they outlive the service, and end with that manager (logout).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/process.h"
#include "manager/service/autostart_entry.h"
#include "manager/service/manager_environment.h"
#include "manager/service/session_calls.h"

namespace agentctl::manager::service {

class Autostart {
 public:
  // What was not started (a project, or the policy file), and why, in several lines perhaps.
  using OnFailure = std::function<void(const std::string& what, const std::string& why)>;

  Autostart(const ServiceParts& parts, OnFailure failed)
      : parts_(parts), environment_(parts.bus), failed_(std::move(failed)) {}

  // A policy with mistakes is told and does not count as done: once it is put right, a restart of the service starts.
  void begin();

 private:
  void start(const Verbs::Place& place, const AutostartCommand& command);
  void note_done();
  void tell_failure(const std::string& what, const std::string& why);

  ServiceParts parts_;
  ManagerEnvironment environment_;
  OnFailure failed_;
  ProcessIdentity manager_;
  std::size_t under_way_ = 0;
};

}  // namespace agentctl::manager::service
