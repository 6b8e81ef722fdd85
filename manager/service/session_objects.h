// SPDX-License-Identifier: Apache-2.0
// SessionObjects: an object on the bus for each session there is, kept in step by the events of SessionWatch.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "manager/service/session_event.h"
#include "manager/service/session_object.h"

namespace agentctl::manager::service {

class SessionObjects {
 public:
  explicit SessionObjects(const ServiceParts& parts);

  void on_event(const SessionEvent& event);

 private:
  ServiceParts parts_;
  BusVtable vtable_;
  const sd_bus_vtable* entries_;
  std::map<std::string, std::unique_ptr<SessionObject>> objects_;  // by id
};

}  // namespace agentctl::manager::service
