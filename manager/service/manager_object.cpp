// SPDX-License-Identifier: Apache-2.0
#include "manager/service/manager_object.h"

#include <utility>

#include "base/text.h"
#include "manager/json_value.h"
#include "manager/service/start_environment.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"
#include "units/unit_name.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kStartUsec = 120'000'000;

const units::SdBusLibrary& base() { return units::sd_bus_library(); }
const units::SdBusServerLibrary& server() { return units::sd_bus_server_library(); }

}  // namespace

// sd-bus calls these with the object as `self`. They may not throw, and end in an answer now or later (1).
struct ManagerMethods {
  static ManagerObject& of(void* self) { return *static_cast<ManagerObject*>(self); }

  static int start(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    const PendingAnswer answer(call);
    if (const auto options = read_options(call)) {
      of(self).start(answer, *options);
    } else {
      answer.fail(kInvalidArgument, options.error());
    }
    return 1;
  }

  static int stop(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    const PendingAnswer answer(call);
    const char* name = nullptr;
    const int read = base().sd_bus_message_read(call, "s", &name);
    const auto options =
        read < 0 ? Result<Options>(units::bus_error(read, "cannot read the name")) : read_options(call);
    if (!options) {
      answer.fail(kInvalidArgument, options.error());
    } else if (const Record* record = of(self).find(answer, name)) {
      stop_session(of(self).parts_, answer, record->id, *options);
    }
    return 1;
  }

  static int get_session(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    const PendingAnswer answer(call);
    const char* name = nullptr;
    if (const int read = base().sd_bus_message_read(call, "s", &name); read < 0) {
      answer.fail(kInvalidArgument, units::bus_error(read, "cannot read the name"));
    } else if (const Record* record = of(self).find(answer, name)) {
      answer.succeed({session_path(record->id)}, "o");
    }
    return 1;
  }

  static int list(sd_bus_message* call, void* self, sd_bus_error*) noexcept {
    sd_bus_message* raw = nullptr;
    int result = server().sd_bus_message_new_method_return(call, &raw);
    const units::MessagePtr reply(raw);
    if (result >= 0) result = of(self).append_list(raw);
    if (result >= 0) result = base().sd_bus_send(nullptr, raw, nullptr);
    return result < 0 ? result : 1;
  }

  static int get_version(sd_bus*, const char*, const char*, const char*, sd_bus_message* reply, void*,
                         sd_bus_error*) noexcept {
    return base().sd_bus_message_append(reply, "s", AGENTCTL_VERSION);
  }
};

ManagerObject::ManagerObject(const ServiceParts& parts) : parts_(parts), environment_(parts.bus) {
  vtable_.add_method("Start", "a{sv}", "os", "options\0session\0name\0", ManagerMethods::start);
  vtable_.add_method("Stop", "sa{sv}", "", "name\0options\0", ManagerMethods::stop);
  vtable_.add_method("GetSession", "s", "o", "name\0session\0", ManagerMethods::get_session);
  vtable_.add_method("List", "", "a(ssso)", "sessions\0", ManagerMethods::list);
  vtable_.add_property("Version", "s", ManagerMethods::get_version, SD_BUS_VTABLE_PROPERTY_CONST);
}

Result<std::unique_ptr<ManagerObject>> ManagerObject::publish(const ServiceParts& parts) {
  std::unique_ptr<ManagerObject> made(new ManagerObject(parts));
  sd_bus_slot* slot = nullptr;
  int added = server().sd_bus_add_object_manager(parts.bus, &slot, kManagerPath);
  made->objects_slot_.reset(slot);
  slot = nullptr;
  if (added >= 0) {
    added = server().sd_bus_add_object_vtable(parts.bus, &slot, kManagerPath, kManagerInterface, made->vtable_.finish(),
                                              made.get());
    made->slot_.reset(slot);
  }
  if (added < 0) return units::bus_error(added, "cannot put the manager on the bus");
  return made;
}

void ManagerObject::start(const PendingAnswer& answer, const Options& options) {
  auto arguments = start_arguments(options);
  if (!arguments) return answer.fail(kInvalidArgument, arguments.error());
  if (parts_.verbs.is_full()) return answer.fail({kBusy, "too many calls at once: try again"});
  environment_.ask([this, answer, start = std::move(*arguments)](const auto& managers) {
    parts_.verbs.run_in({start_environment(managers, own_environment()), start.project}, start.words, kStartUsec,
                        [this, answer](const VerbOutcome& outcome) { answer_start(answer, outcome); });
  });
}

void ManagerObject::answer_start(const PendingAnswer& answer, const VerbOutcome& outcome) {
  if (const auto error = error_of(outcome)) return answer.fail(*error);
  const auto session = parse_json(trim(outcome.output));
  if (!session || !units::is_session_id((*session)["id"].text))
    return answer.fail({kFailed, "cannot understand what 'agentctl start' has said"});
  const std::string& id = (*session)["id"].text;
  parts_.sessions.look_at(id);
  answer.succeed({session_path(id), (*session)["name"].text}, "os");
}

const Record* ManagerObject::find(const PendingAnswer& answer, const std::string& name) {
  const auto found = find_session(parts_.sessions.listing(), name);
  if (found) return parts_.sessions.find(found->record.id);
  answer.fail(found.error().kind == ErrorKind::usage ? kAmbiguous : kNoSuchSession, found.error());
  return nullptr;
}

int ManagerObject::append_list(sd_bus_message* message) {
  int result = base().sd_bus_message_open_container(message, 'a', "(ssso)");
  for (const KnownSession& session : parts_.sessions.listing().sessions) {
    const Record& record = session.record;
    const std::string state = view_session(record).state;
    if (result >= 0) {
      result = base().sd_bus_message_append(message, "(ssso)", record.id.c_str(), record.name.c_str(), state.c_str(),
                                            session_path(record.id).c_str());
    }
  }
  return result < 0 ? result : base().sd_bus_message_close_container(message);
}

}  // namespace agentctl::manager::service
