// SPDX-License-Identifier: Apache-2.0
// SessionObject: one session on the bus, with the interface org.agentctl.Session1. It appears (InterfacesAdded) when it
// is made, and goes (InterfacesRemoved) with its destruction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "manager/service/bus_vtable.h"
#include "manager/service/session_calls.h"
#include "manager/session_view.h"

namespace agentctl::manager::service {

class SessionObject {
 public:
  // `vtable`: session_vtable()'s, which outlives this.
  [[nodiscard]] static Result<std::unique_ptr<SessionObject>> publish(const ServiceParts& parts,
                                                                      const sd_bus_vtable* vtable,
                                                                      const Record& record);
  SessionObject(const SessionObject&) = delete;
  SessionObject& operator=(const SessionObject&) = delete;

  // Tells that it goes (InterfacesRemoved); to be destroyed next.
  void retire();
  // Looks anew, and tells of what has changed (PropertiesChanged).
  void update(const Record& record);

 private:
  SessionObject(const ServiceParts& parts, const Record& record);
  friend struct SessionMethods;
  [[nodiscard]] const SessionView& current_view(bool live);

  ServiceParts parts_;
  std::string path_;
  SessionView view_;  // as it was told last
  SessionView live_view_;
  std::uint64_t looked_at_usec_ = 0;
  units::SlotPtr slot_;
};

[[nodiscard]] BusVtable session_vtable();

}  // namespace agentctl::manager::service
