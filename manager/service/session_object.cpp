// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_object.h"

#include <cerrno>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

const units::SdBusServerLibrary& server() { return units::sd_bus_server_library(); }

// One GetAll asks for several properties: those are of one look.
constexpr std::uint64_t kOneLookUsec = 10'000;

std::uint64_t flags_of(Emits emits) {
  switch (emits) {
    case Emits::constant:
      return SD_BUS_VTABLE_PROPERTY_CONST;
    case Emits::changes:
      return SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
    case Emits::nothing:
      return 0;
  }
  return 0;
}

}  // namespace

// sd-bus calls these with the object as `self`. They may not throw, and end in an answer now or later (1).
struct SessionMethods {
  static SessionObject& of(void* self) { return *static_cast<SessionObject*>(self); }
  static std::string id(void* self) { return of(self).view_.record.id; }

  static int stop(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    const PendingAnswer answer(call);
    const auto options = read_options(call);
    if (!options) {
      answer.fail(kInvalidArgument, options.error());
    } else {
      stop_session(of(self).parts_, answer, id(self), *options);
    }
    return 1;
  }

  static int set_limits(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    const PendingAnswer answer(call);
    const auto options = read_options(call);
    if (!options) {
      answer.fail(kInvalidArgument, options.error());
    } else {
      set_session_limits(of(self).parts_, answer, id(self), *options);
    }
    return 1;
  }

  static int freeze(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    freeze_session(of(self).parts_, PendingAnswer(call), id(self));
    return 1;
  }

  static int thaw(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    thaw_session(of(self).parts_, PendingAnswer(call), id(self));
    return 1;
  }

  static int get(sd_bus*, const char*, const char*, const char* name, sd_bus_message* reply, void* self,
                 sd_bus_error*) noexcept {
    const SessionProperty* property = find_property(name);
    if (property == nullptr) return -ENOENT;
    return append_value(reply, property->read(of(self).current_view(property->live)));
  }
};

BusVtable session_vtable() {
  BusVtable vtable;
  vtable.add_method("Stop", "a{sv}", "", "options\0", SessionMethods::stop);
  vtable.add_method("Freeze", "", "", "", SessionMethods::freeze);
  vtable.add_method("Thaw", "", "", "", SessionMethods::thaw);
  vtable.add_method("SetLimits", "a{sv}", "", "limits\0", SessionMethods::set_limits);
  for (const SessionProperty& property : session_properties()) {
    vtable.add_property(property.name, property.signature, SessionMethods::get, flags_of(property.emits));
  }
  return vtable;
}

SessionObject::SessionObject(const ServiceParts& parts, const Record& record)
    : parts_(parts), path_(session_path(record.id)), view_(view_session(record)) {}

Result<std::unique_ptr<SessionObject>> SessionObject::publish(const ServiceParts& parts, const sd_bus_vtable* vtable,
                                                              const Record& record) {
  std::unique_ptr<SessionObject> made(new SessionObject(parts, record));
  sd_bus_slot* slot = nullptr;
  const int added =
      server().sd_bus_add_object_vtable(parts.bus, &slot, made->path_.c_str(), kSessionInterface, vtable, made.get());
  if (added < 0) return units::bus_error(added, "cannot put a session on the bus");
  made->slot_.reset(slot);
  const int told = server().sd_bus_emit_object_added(parts.bus, made->path_.c_str());
  if (told < 0) return units::bus_error(told, "cannot tell the bus of a session");
  return made;
}

// While it is there: sd-bus looks up what goes.
void SessionObject::retire() { (void)server().sd_bus_emit_object_removed(parts_.bus, path_.c_str()); }

void SessionObject::update(const Record& record) {
  SessionView now = view_session(record);
  std::vector<char*> names;
  for (const char* name : changed_properties(view_, now))
    names.push_back(const_cast<char*>(name));  // sd-bus reads only
  view_ = std::move(now);
  looked_at_usec_ = 0;
  if (names.empty()) return;
  names.push_back(nullptr);
  (void)server().sd_bus_emit_properties_changed_strv(parts_.bus, path_.c_str(), kSessionInterface, names.data());
}

const SessionView& SessionObject::current_view(bool live) {
  if (!live) return view_;
  const std::uint64_t now = monotonic_usec();
  if (looked_at_usec_ == 0 || now - looked_at_usec_ > kOneLookUsec) {
    live_view_ = view_session(view_.record);
    looked_at_usec_ = now;
  }
  return live_view_;
}

}  // namespace agentctl::manager::service
