// SPDX-License-Identifier: Apache-2.0
#include "egress/name_connections.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "egress/listener_rest.h"
#include "egress/socket_address.h"

namespace agentctl::egress {
namespace {

constexpr std::uint16_t kNamePort = 53;
constexpr std::size_t kMostConnections = 32;
constexpr std::uint64_t kLongestUsec = 20'000'000;

}  // namespace

NameConnections::NameConnections(EventLoop& loop, const UniqueFd& listener, NameServers& servers)
    : loop_(loop), listener_(listener), servers_(servers) {
  loop_.watch(listener_.get(), POLLIN, [this](short) { on_connection(); });
}

void NameConnections::on_connection() {
  UniqueFd near(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!near.valid() && is_out_of_descriptors(errno)) return rest_listener(loop_, listener_.get());
  if (!near.valid() || connections_.size() >= kMostConnections) return;
  const SocketAddress server(servers_.list().front(), kNamePort);
  UniqueFd far(::socket(server.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!far.valid()) return;
  if (::connect(far.get(), server.get(), server.size()) != 0 && errno != EINPROGRESS) return;
  Connection& made = connections_.emplace_back();
  made.relay =
      std::make_unique<StreamRelay>(loop_, std::move(near), std::move(far), [this, &made](RelayEnd) { remove(&made); });
  made.timer = loop_.after(kLongestUsec, [this, &made] {
    made.timer = 0;
    remove(&made);
  });
}

void NameConnections::remove(const Connection* connection) {
  for (auto at = connections_.begin(); at != connections_.end(); ++at) {
    if (&*at != connection) continue;
    if (at->timer != 0) loop_.cancel(at->timer);
    connections_.erase(at);
    return;
  }
}

}  // namespace agentctl::egress
