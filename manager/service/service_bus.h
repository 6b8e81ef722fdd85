// SPDX-License-Identifier: Apache-2.0
// ServiceBus: the service's connection to the user's message bus, in the loop of the process (sd_bus_get_fd(3)). Only a
// bus daemon will do, the user's own: the service manager's private socket has no names.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "base/event_loop.h"
#include "base/result.h"
#include "units/bus.h"

namespace agentctl::manager::service {

class ServiceBus {
 public:
  // Connects. `loop` outlives this.
  [[nodiscard]] static Result<std::unique_ptr<ServiceBus>> connect(EventLoop& loop);
  ServiceBus(const ServiceBus&) = delete;
  ServiceBus& operator=(const ServiceBus&) = delete;
  ~ServiceBus();

  [[nodiscard]] sd_bus* get() const { return bus_.get(); }
  // Once every object is there: from then on calls come. An Error when somebody else has the name.
  [[nodiscard]] Result<void> take_name(const char* name);
  // To be called before each wait of the loop: what is to be sent may have changed.
  void prepare();
  // Set when the connection has broken.
  [[nodiscard]] const std::optional<Error>& problem() const { return problem_; }

 private:
  ServiceBus(EventLoop& loop, units::Bus bus) : loop_(loop), bus_(std::move(bus)) {}
  void process();

  EventLoop& loop_;
  units::Bus bus_;
  int fd_ = -1;  // the connection's
  std::optional<EventLoop::TimerId> timer_;
  std::optional<Error> problem_;
};

}  // namespace agentctl::manager::service
