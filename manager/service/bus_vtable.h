// SPDX-License-Identifier: Apache-2.0
// BusVtable: the methods and properties of one interface for sd_bus_add_object_vtable(3), put together at run time: the
// macros of sd-bus-vtable.h name a variable of libsystemd, which is not linked (sd_bus_library.h). Texts must be
// literals.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <vector>

namespace agentctl::manager::service {

class BusVtable {
 public:
  BusVtable();
  // `names`: of the arguments, in and out, each with its NUL: "options\0session\0".
  void add_method(const char* name, const char* in, const char* out, const char* names,
                  sd_bus_message_handler_t handler);
  // `flags`: SD_BUS_VTABLE_PROPERTY_CONST, …
  void add_property(const char* name, const char* signature, sd_bus_property_get_t get, std::uint64_t flags);
  // What sd-bus takes; valid as long as this, and unchanged from then on.
  [[nodiscard]] const sd_bus_vtable* finish();

 private:
  std::vector<sd_bus_vtable> entries_;
};

}  // namespace agentctl::manager::service
