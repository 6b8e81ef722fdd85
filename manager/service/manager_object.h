// SPDX-License-Identifier: Apache-2.0
// ManagerObject: /org/agentctl/Manager1 with the interface org.agentctl.Manager1, and the ObjectManager of the sessions
// below it (D-Bus specification, "org.freedesktop.DBus.ObjectManager").
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "manager/service/bus_vtable.h"
#include "manager/service/manager_environment.h"
#include "manager/service/session_calls.h"
#include "manager/service/verb_arguments.h"

namespace agentctl::manager::service {

class ManagerObject {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ManagerObject>> publish(const ServiceParts& parts);
  ManagerObject(const ManagerObject&) = delete;
  ManagerObject& operator=(const ManagerObject&) = delete;

 private:
  explicit ManagerObject(const ServiceParts& parts);
  friend struct ManagerMethods;
  void start(const PendingAnswer& answer, const Options& options);
  void answer_start(const PendingAnswer& answer, const VerbOutcome& outcome);
  // The session of that name, id, or beginning of a name; else the call is answered with the reason.
  [[nodiscard]] const Record* find(const PendingAnswer& answer, const std::string& name);
  [[nodiscard]] int append_list(sd_bus_message* message);

  ServiceParts parts_;
  ManagerEnvironment environment_;
  BusVtable vtable_;
  units::SlotPtr objects_slot_, slot_;
};

}  // namespace agentctl::manager::service
