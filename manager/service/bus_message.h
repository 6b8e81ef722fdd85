// SPDX-License-Identifier: Apache-2.0
// What travels in calls and answers: an a{sv} of options is read, property values are written, and a call is answered,
// now or later.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/service/option_value.h"
#include "manager/service/session_properties.h"
#include "manager/service/verb_outcome.h"
#include "units/bus.h"

namespace agentctl::manager::service {

// The a{sv} at which `message` stands. A value of a type that no option has is told by its signature.
[[nodiscard]] Result<Options> read_options(sd_bus_message* message);

// The variant at which `message` stands.
[[nodiscard]] Result<OptionValue> read_value(sd_bus_message* message);

// Appends a value of its own type; negative errno as sd-bus has it.
[[nodiscard]] int append_value(sd_bus_message* message, const PropertyValue& value);

// A call that is still to be answered, once. Whoever called may be gone by then.
class PendingAnswer {
 public:
  explicit PendingAnswer(sd_bus_message* call);
  void succeed() const;
  void succeed(const std::vector<std::string>& values, const char* signature) const;  // of 's' and 'o'
  void fail(const BusError& error) const;
  void fail(const char* name, const Error& error) const;

 private:
  std::shared_ptr<sd_bus_message> call_;  // shared: a std::function must be copyable
};

}  // namespace agentctl::manager::service
