// SPDX-License-Identifier: Apache-2.0
#include "egress/published_port.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "egress/listener_rest.h"
#include "egress/socket_address.h"

namespace agentctl::egress {
namespace {

constexpr std::size_t kMostConnections = 200;

SocketAddress loopback(int family, std::uint16_t port) {
  return {family == AF_INET ? *policy::parse_ipv4("127.0.0.1") : *policy::parse_ipv6("::1"), port};
}

}  // namespace

PublishedPort::PublishedPort(EventLoop& loop, std::vector<UniqueFd> listeners, std::uint16_t port,
                             MakeSocket make_socket)
    : loop_(loop), listeners_(std::move(listeners)), port_(port), make_socket_(std::move(make_socket)) {
  for (const UniqueFd& listener : listeners_) {
    loop_.watch(listener.get(), POLLIN, [this, &listener](short) { on_connection(listener); });
  }
}

PublishedPort::~PublishedPort() {
  if (rest_) loop_.cancel(*rest_);
  for (const UniqueFd& listener : listeners_) loop_.forget(listener.get());
  for (const Connection& connection : connections_) {
    if (connection.far.valid()) loop_.forget(connection.far.get());
  }
}

void PublishedPort::on_connection(const UniqueFd& listener) {
  UniqueFd near(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!near.valid() && is_out_of_descriptors(errno)) return rest();
  if (!near.valid()) return;
  if (connections_.size() >= kMostConnections) drop_ended();
  if (connections_.size() >= kMostConnections) return;
  Connection& made = connections_.emplace_back();
  made.near = std::move(near);
  dial(made, AF_INET);
}

// Who waits in the listener's queue is reported until somebody takes it.
void PublishedPort::rest() {
  if (rest_) return;
  for (const UniqueFd& listener : listeners_) loop_.set_events(listener.get(), 0);
  rest_ = loop_.after(kListenerRestUsec, [this] {
    rest_.reset();
    for (const UniqueFd& listener : listeners_) loop_.set_events(listener.get(), POLLIN);
  });
}

// One whose client has nothing more to say, and may be gone: a server that keeps it would keep others out.
void PublishedPort::drop_ended() {
  const auto ended = std::find_if(connections_.begin(), connections_.end(), [](const Connection& connection) {
    return connection.relay && connection.relay->near_has_ended();
  });
  if (ended != connections_.end()) connections_.erase(ended);
}

void PublishedPort::dial(Connection& connection, int family) {
  connection.family = family;
  auto far = make_socket_(family);
  const SocketAddress address = loopback(family, port_);
  if (!far || (::connect(far->get(), address.get(), address.size()) != 0 && errno != EINPROGRESS)) {
    return family == AF_INET ? dial(connection, AF_INET6) : remove(connection);
  }
  connection.far = std::move(*far);
  loop_.watch(connection.far.get(), POLLOUT, [this, &connection](short) { on_dialled(connection); });
}

void PublishedPort::on_dialled(Connection& connection) {
  loop_.forget(connection.far.get());
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(connection.far.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) {
    connection.far.reset();
    return connection.family == AF_INET ? dial(connection, AF_INET6) : remove(connection);
  }
  connection.relay = std::make_unique<StreamRelay>(
      loop_, std::move(connection.near), std::move(connection.far),
      [this, &connection](RelayEnd) { remove(connection); }, RelayStart{.pipes = &pipes_});
}

void PublishedPort::remove(const Connection& connection) {
  connections_.remove_if([&](const Connection& other) { return &other == &connection; });
}

}  // namespace agentctl::egress
