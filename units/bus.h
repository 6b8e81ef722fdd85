// SPDX-License-Identifier: Apache-2.0
// Bus: one connection to a service manager, and what travels on it. Calls are sent without blocking and waited for
// here, each with a deadline of our own: sd-bus itself waits without limit for a peer that accepts and then says
// nothing. One thread, one process: after a fork the connection is the parent's (sd_bus_new(3)).
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::units {

struct FreeBus {
  void operator()(sd_bus* bus) const;  // closes without flushing: nothing is worth waiting for there
};
struct FreeSlot {
  void operator()(sd_bus_slot* slot) const;
};
struct FreeMessage {
  void operator()(sd_bus_message* message) const;
};
using BusPtr = std::unique_ptr<sd_bus, FreeBus>;
using SlotPtr = std::unique_ptr<sd_bus_slot, FreeSlot>;
using MessagePtr = std::unique_ptr<sd_bus_message, FreeMessage>;

// A call under way. Destroying it forgets the answer.
class PendingCall {
 public:
  [[nodiscard]] bool answered() const { return reply_ != nullptr; }

 private:
  friend class Bus;
  static int store_reply(sd_bus_message* reply, void* self, sd_bus_error* error) noexcept;

  MessagePtr reply_;
  SlotPtr slot_;
};

// What a manager's method is called on.
struct MethodAddress {
  const char* path;
  const char* interface;
  const char* member;
};

class Bus {
 public:
  // Takes a connected socket; `message_bus`: a bus daemon is at the other end, not the manager itself.
  [[nodiscard]] static Result<Bus> start(UniqueFd socket, bool message_bus);

  [[nodiscard]] sd_bus* get() const { return bus_.get(); }

  // A call to org.freedesktop.systemd1; its arguments are the caller's to append.
  [[nodiscard]] Result<MessagePtr> new_call(const MethodAddress& method) const;

  [[nodiscard]] Result<std::unique_ptr<PendingCall>> send(const MessagePtr& message);
  // Sends and expects no answer; for clearing up after a manager that does not answer.
  void send_and_forget(const MessagePtr& message);

  // On an error reply `error_name` holds its D-Bus name; else it is empty.
  [[nodiscard]] Result<MessagePtr> wait_for_reply(PendingCall& call, unsigned msec, std::string& error_name);
  [[nodiscard]] Result<MessagePtr> call(const MessagePtr& message, unsigned msec, std::string& error_name);

  // Dispatches messages until `done` or the deadline: true when done, false when it was too late.
  [[nodiscard]] Result<bool> dispatch_until(const std::function<bool()>& done, unsigned msec);

 private:
  explicit Bus(BusPtr bus) : bus_(std::move(bus)) {}

  BusPtr bus_;
};

// Of sd-bus's return value: a negative errno.
[[nodiscard]] Error bus_error(int result, std::string_view context);

// The error code behind an error reply; its message may be null.
[[nodiscard]] Error describe_bus_error(const sd_bus_error* error);

}  // namespace agentctl::units
