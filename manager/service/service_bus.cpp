// SPDX-License-Identifier: Apache-2.0
#include "manager/service/service_bus.h"

#include <poll.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

#include "base/text.h"
#include "units/bus_address.h"
#include "units/sd_bus_library.h"
#include "units/sd_bus_server_library.h"

namespace agentctl::manager::service {
namespace {

constexpr unsigned kBusMsec = 10'000;
constexpr int kMostAtOnce = 100;  // messages, before others have their turn

// RequestName(s name, u flags) and its answers (D-Bus specification, "Message Bus Messages").
constexpr std::uint32_t kDoNotQueue = 4;
constexpr std::uint32_t kPrimaryOwner = 1;

Result<UniqueFd> connect_to_bus() {
  std::string tried;
  for (const units::BusAddress& address : units::user_addresses(units::read_address_sources())) {
    if (!address.message_bus) continue;
    auto connected = units::connect_socket(address.socket, ::geteuid(), kBusMsec);
    if (connected) return std::move(connected->fd);
    if (tried.empty()) tried = connected.error().message;
  }
  return make_error(
      ErrorKind::environment, cat("cannot reach the bus of your login: ", tried),
      "log in with a session bus (Debian: dbus-user-session), or use the other commands, which need none");
}

}  // namespace

Result<std::unique_ptr<ServiceBus>> ServiceBus::connect(EventLoop& loop) {
  AGENTCTL_TRY_VOID(units::load_sd_bus_server());
  UniqueFd socket = AGENTCTL_TRY(connect_to_bus());
  units::Bus bus = AGENTCTL_TRY(units::Bus::start(std::move(socket), true));
  std::unique_ptr<ServiceBus> made(new ServiceBus(loop, std::move(bus)));
  made->fd_ = units::sd_bus_server_library().sd_bus_get_fd(made->get());
  if (made->fd_ < 0) return units::bus_error(made->fd_, "cannot use the bus of your login");
  loop.watch(made->fd_, POLLIN, [self = made.get()](short) { self->process(); });
  return made;
}

ServiceBus::~ServiceBus() {
  if (timer_) loop_.cancel(*timer_);
  if (fd_ >= 0) loop_.forget(fd_);
}

Result<void> ServiceBus::take_name(const char* name) {
  const units::SdBusLibrary& library = units::sd_bus_library();
  sd_bus_message* raw = nullptr;
  int made = library.sd_bus_message_new_method_call(get(), &raw, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                                                    "org.freedesktop.DBus", "RequestName");
  const units::MessagePtr message(raw);
  if (made >= 0) made = library.sd_bus_message_append(raw, "su", name, kDoNotQueue);
  if (made < 0) return units::bus_error(made, "cannot ask for a name on the bus");
  std::string error_name;
  const units::MessagePtr reply = AGENTCTL_TRY(
      with_context(cat("cannot have the name ", name, " on the bus"), bus_.call(message, kBusMsec, error_name)));
  std::uint32_t answer = 0;
  const int read = library.sd_bus_message_read(reply.get(), "u", &answer);
  if (read < 0) return units::bus_error(read, "cannot read the bus's answer");
  if (answer == kPrimaryOwner) return {};
  return make_error(ErrorKind::bus, cat("the name ", name, " is taken on the bus: another 'agentctl serve' is running"),
                    "see 'systemctl --user status agentctl'");
}

void ServiceBus::prepare() {
  const units::SdBusServerLibrary& library = units::sd_bus_server_library();
  if (timer_) loop_.cancel(*timer_);
  timer_.reset();
  const int events = problem_ ? -1 : library.sd_bus_get_events(get());
  std::uint64_t due_usec = UINT64_MAX;
  if (events < 0 || library.sd_bus_get_timeout(get(), &due_usec) < 0) {
    if (!problem_) problem_ = make_error(ErrorKind::bus, "the connection to the bus broke");
    return;
  }
  loop_.set_events(fd_, static_cast<short>(events));
  if (due_usec == UINT64_MAX) return;
  const std::uint64_t now = monotonic_usec();
  timer_ = loop_.after(due_usec > now ? due_usec - now : 0, [this] { process(); });
}

void ServiceBus::process() {
  for (int count = 0; count < kMostAtOnce; ++count) {
    const int processed = units::sd_bus_library().sd_bus_process(get(), nullptr);
    if (processed == 0) return;
    if (processed > 0) continue;
    problem_ = units::bus_error(processed, "the connection to the bus broke");
    return;
  }
}

}  // namespace agentctl::manager::service
