// SPDX-License-Identifier: Apache-2.0
#include "manager/service/manager_environment.h"

#include <utility>

#include "manager/service/bus_message.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kAnswerUsec = 5'000'000;

units::MessagePtr make_question(sd_bus* bus) {
  const units::SdBusLibrary& library = units::sd_bus_library();
  sd_bus_message* raw = nullptr;
  int result = library.sd_bus_message_new_method_call(
      bus, &raw, "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.DBus.Properties", "Get");
  units::MessagePtr question(raw);
  if (result >= 0) result = units::sd_bus_server_library().sd_bus_message_set_auto_start(raw, 0);
  if (result >= 0) result = library.sd_bus_message_append(raw, "ss", "org.freedesktop.systemd1.Manager", "Environment");
  return result < 0 ? nullptr : std::move(question);
}

}  // namespace

void ManagerEnvironment::ask(Heard heard) {
  const units::MessagePtr question = make_question(bus_);
  questions_.push_front({this, {}, std::move(heard), nullptr});
  const auto self = questions_.begin();
  self->self = self;
  sd_bus_slot* slot = nullptr;
  if (question &&
      units::sd_bus_library().sd_bus_call_async(bus_, &slot, question.get(), on_answer, &*self, kAnswerUsec) >= 0) {
    self->slot.reset(slot);
    return;
  }
  const Heard unheard = std::move(self->heard);
  questions_.erase(self);
  unheard(std::nullopt);
}

int ManagerEnvironment::on_answer(sd_bus_message* reply, void* question, sd_bus_error*) noexcept {
  const auto self = static_cast<Question*>(question)->self;
  const Heard heard = std::move(self->heard);
  self->owner->questions_.erase(self);
  std::optional<std::vector<std::string>> variables;
  if (units::sd_bus_library().sd_bus_message_get_error(reply) == nullptr) {
    auto value = read_value(reply);
    if (auto* texts = value ? std::get_if<std::vector<std::string>>(&*value) : nullptr) variables = std::move(*texts);
  }
  heard(variables);
  return 1;
}

}  // namespace agentctl::manager::service
