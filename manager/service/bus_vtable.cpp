// SPDX-License-Identifier: Apache-2.0
#include "manager/service/bus_vtable.h"

#include <cstring>

#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

// "Unused areas in the sd_bus_vtable[] array must be initialized to 0" (sd-bus-vtable.h).
sd_bus_vtable make_entry(char type, std::uint64_t flags) {
  sd_bus_vtable entry;
  std::memset(&entry, 0, sizeof entry);
  entry.type = static_cast<unsigned char>(type);
  entry.flags = flags & 0xff'ffff'ffff'ffffU;
  return entry;
}

}  // namespace

BusVtable::BusVtable() {
  sd_bus_vtable entry = make_entry(_SD_BUS_VTABLE_START, 0);
  entry.x.start.element_size = sizeof(sd_bus_vtable);
  entry.x.start.features = _SD_BUS_VTABLE_PARAM_NAMES;
  entry.x.start.vtable_format_reference = units::sd_bus_server_library().sd_bus_object_vtable_format;
  entries_.push_back(entry);
}

// Unprivileged: on the bus of a user everybody is that user or root, who may all that the user may.
void BusVtable::add_method(const char* name, const char* in, const char* out, const char* names,
                           sd_bus_message_handler_t handler) {
  sd_bus_vtable entry = make_entry(_SD_BUS_VTABLE_METHOD, SD_BUS_VTABLE_UNPRIVILEGED);
  entry.x.method.member = name;
  entry.x.method.signature = in;
  entry.x.method.result = out;
  entry.x.method.names = names;
  entry.x.method.handler = handler;
  entries_.push_back(entry);
}

void BusVtable::add_property(const char* name, const char* signature, sd_bus_property_get_t get, std::uint64_t flags) {
  sd_bus_vtable entry = make_entry(_SD_BUS_VTABLE_PROPERTY, flags);
  entry.x.property.member = name;
  entry.x.property.signature = signature;
  entry.x.property.get = get;
  entries_.push_back(entry);
}

const sd_bus_vtable* BusVtable::finish() {
  entries_.push_back(make_entry(_SD_BUS_VTABLE_END, 0));
  return entries_.data();
}

}  // namespace agentctl::manager::service
