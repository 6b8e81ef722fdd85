// SPDX-License-Identifier: Apache-2.0
#include "units/bus.h"

#include <cerrno>
#include <utility>

#include "base/event_loop.h"
#include "base/text.h"
#include "units/sd_bus_library.h"

namespace agentctl::units {
namespace {

constexpr const char* kDestination = "org.freedesktop.systemd1";
constexpr std::uint64_t kUsecPerMsec = 1000;
constexpr std::uint64_t kLongerThanAnyDeadline = 3'600'000'000;  // ours come first; sd-bus must not have one of its own

}  // namespace

void FreeBus::operator()(sd_bus* bus) const {
  sd_bus_library().sd_bus_close(bus);
  sd_bus_library().sd_bus_unref(bus);
}
void FreeSlot::operator()(sd_bus_slot* slot) const { sd_bus_library().sd_bus_slot_unref(slot); }
void FreeMessage::operator()(sd_bus_message* message) const { sd_bus_library().sd_bus_message_unref(message); }

Error bus_error(int result, std::string_view context) {
  Error error = errno_error(-result, context);
  error.kind = ErrorKind::bus;
  return error;
}

Error describe_bus_error(const sd_bus_error* error) {
  std::string text;
  if (error->message != nullptr && *error->message != '\0') {
    text = printable(trim(error->message));
  } else {
    text = error->name != nullptr ? printable(error->name) : "unknown error";
  }
  while (text.ends_with('.')) text.pop_back();
  return make_error(ErrorKind::bus, text);
}

int PendingCall::store_reply(sd_bus_message* reply, void* self, sd_bus_error*) noexcept {
  static_cast<PendingCall*>(self)->reply_.reset(sd_bus_library().sd_bus_message_ref(reply));
  return 1;
}

Result<Bus> Bus::start(UniqueFd socket, bool message_bus) {
  const SdBusLibrary& library = *AGENTCTL_TRY(load_sd_bus());
  sd_bus* raw = nullptr;
  if (const int made = library.sd_bus_new(&raw); made < 0) return bus_error(made, "cannot make a bus connection");
  BusPtr bus(raw);
  const int fd = socket.get();
  if (const int set = library.sd_bus_set_fd(raw, fd, fd); set < 0) return bus_error(set, "cannot use the bus socket");
  (void)socket.release();  // the connection's now
  library.sd_bus_set_bus_client(raw, message_bus ? 1 : 0);
  library.sd_bus_negotiate_fds(raw, 1);
  if (const int started = library.sd_bus_start(raw); started < 0) {
    return bus_error(started, "cannot start the bus connection");
  }
  return Bus(std::move(bus));
}

Result<MessagePtr> Bus::new_call(const MethodAddress& method) const {
  sd_bus_message* raw = nullptr;
  const int made = sd_bus_library().sd_bus_message_new_method_call(bus_.get(), &raw, kDestination, method.path,
                                                                   method.interface, method.member);
  if (made < 0) return bus_error(made, cat("cannot make a call of ", method.member));
  return MessagePtr(raw);
}

Result<std::unique_ptr<PendingCall>> Bus::send(const MessagePtr& message) {
  auto call = std::make_unique<PendingCall>();
  sd_bus_slot* slot = nullptr;
  const int sent = sd_bus_library().sd_bus_call_async(bus_.get(), &slot, message.get(), PendingCall::store_reply,
                                                      call.get(), kLongerThanAnyDeadline);
  if (sent < 0) return bus_error(sent, "cannot send to the service manager");
  call->slot_.reset(slot);
  return call;
}

void Bus::send_and_forget(const MessagePtr& message) {
  sd_bus_library().sd_bus_message_set_expect_reply(message.get(), 0);
  (void)sd_bus_library().sd_bus_send(bus_.get(), message.get(), nullptr);
}

Result<bool> Bus::dispatch_until(const std::function<bool()>& done, unsigned msec) {
  const std::uint64_t deadline = monotonic_usec() + msec * kUsecPerMsec;
  while (!done()) {
    const int processed = sd_bus_library().sd_bus_process(bus_.get(), nullptr);
    if (processed < 0) return bus_error(processed, "the connection to the service manager broke");
    if (processed > 0) continue;
    const std::uint64_t now = monotonic_usec();
    if (now >= deadline) return false;
    const int waited = sd_bus_library().sd_bus_wait(bus_.get(), deadline - now);
    if (waited < 0 && waited != -EINTR) return bus_error(waited, "the connection to the service manager broke");
  }
  return true;
}

Result<MessagePtr> Bus::wait_for_reply(PendingCall& call, unsigned msec, std::string& error_name) {
  error_name.clear();
  const bool answered = AGENTCTL_TRY(dispatch_until([&call] { return call.answered(); }, msec));
  if (!answered) {
    Error error = make_error(ErrorKind::bus, cat("the service manager did not answer within ", msec, " ms"));
    error.sys_errno = ETIMEDOUT;
    return error;
  }
  if (const sd_bus_error* error = sd_bus_library().sd_bus_message_get_error(call.reply_.get())) {
    error_name = error->name != nullptr ? error->name : "";
    return describe_bus_error(error);
  }
  return std::move(call.reply_);
}

Result<MessagePtr> Bus::call(const MessagePtr& message, unsigned msec, std::string& error_name) {
  const std::unique_ptr<PendingCall> pending = AGENTCTL_TRY(send(message));
  return wait_for_reply(*pending, msec, error_name);
}

}  // namespace agentctl::units
