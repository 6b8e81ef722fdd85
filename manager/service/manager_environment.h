// SPDX-License-Identifier: Apache-2.0
// ManagerEnvironment: asks the service manager on our bus for its variables (property Environment of
// org.freedesktop.systemd1.Manager), without waiting.
#pragma once

#include <systemd/sd-bus.h>

#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "units/bus.h"

namespace agentctl::manager::service {

class ManagerEnvironment {
 public:
  using Heard = std::function<void(const std::optional<std::vector<std::string>>&)>;

  // `bus` outlives this.
  explicit ManagerEnvironment(sd_bus* bus) : bus_(bus) {}
  ManagerEnvironment(const ManagerEnvironment&) = delete;
  ManagerEnvironment& operator=(const ManagerEnvironment&) = delete;

  // `heard` is called once, with none where nobody answers.
  void ask(Heard heard);

 private:
  struct Question {
    ManagerEnvironment* owner;
    std::list<Question>::iterator self;
    Heard heard;
    units::SlotPtr slot;
  };
  static int on_answer(sd_bus_message* reply, void* question, sd_bus_error* error) noexcept;

  sd_bus* bus_;
  std::list<Question> questions_;
};

}  // namespace agentctl::manager::service
