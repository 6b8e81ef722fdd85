// SPDX-License-Identifier: Apache-2.0
#include "egress/door_listeners.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "egress/listener_rest.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostConnections = 2048;
constexpr int kMostAtOnce = 16;  // before others have their turn

std::optional<policy::Endpoint> own_address(const UniqueFd& client, std::uint16_t port) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(client.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0 || size != sizeof address) {
    return std::nullopt;
  }
  std::array<std::uint8_t, 4> bytes{};
  std::memcpy(bytes.data(), &address.sin_addr, bytes.size());
  return policy::Endpoint{policy::IpAddress::v4(bytes), port};
}

}  // namespace

void DoorListeners::add(UniqueFd listener, std::optional<std::uint16_t> port) {
  const int fd = listener.get();
  listeners_.push_back(std::move(listener));
  parts_.outside.loop.watch(fd, is_full_ ? short{0} : short{POLLIN},
                            [this, fd, port](short) { on_connection(fd, port); });
}

void DoorListeners::on_connection(int listener, std::optional<std::uint16_t> port) {
  for (int count = 0; count < kMostAtOnce; ++count) {
    UniqueFd client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client.valid() && is_out_of_descriptors(errno)) return rest();
    if (!client.valid()) return;
    std::optional<policy::Endpoint> going_to;
    if (port) {
      going_to = own_address(client, *port);
      if (!going_to) continue;
    }
    const auto place = connections_.emplace(connections_.end());
    place->emplace(parts_, std::move(client), std::move(going_to), [this, place] { remove(place); });
    if (connections_.size() >= kMostConnections) return set_events(0);
  }
}

// Who waits in a listener's queue is reported until somebody takes it.
void DoorListeners::rest() {
  set_events(0);
  if (rest_ != 0) return;
  rest_ = parts_.outside.loop.after(kListenerRestUsec, [this] {
    rest_ = 0;
    if (connections_.size() < kMostConnections) set_events(POLLIN);
  });
}

void DoorListeners::remove(std::list<std::optional<DoorConnection>>::iterator connection) {
  connections_.erase(connection);
  if (is_full_ && rest_ == 0 && connections_.size() < kMostConnections) set_events(POLLIN);
}

void DoorListeners::set_events(short events) {
  is_full_ = events == 0;
  for (const UniqueFd& listener : listeners_) parts_.outside.loop.set_events(listener.get(), events);
}

}  // namespace agentctl::egress
