// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_objects.h"

#include <utility>

#include "base/log.h"

namespace agentctl::manager::service {

SessionObjects::SessionObjects(const ServiceParts& parts)
    : parts_(parts), vtable_(session_vtable()), entries_(vtable_.finish()) {}

void SessionObjects::on_event(const SessionEvent& event) {
  const Record& record = event.now;
  const auto known = objects_.find(record.id);
  if (event.kind == SessionEventKind::ended) {
    if (known == objects_.end()) return;
    known->second->retire();
    objects_.erase(known);
    return;
  }
  if (known != objects_.end()) return known->second->update(record);
  auto object = SessionObject::publish(parts_, entries_, record);
  if (!object) return log::warn(object.error().message);
  objects_.emplace(record.id, std::move(*object));
}

}  // namespace agentctl::manager::service
