// SPDX-License-Identifier: Apache-2.0
// PublishedPort: a port of the host's loopback behind which a server inside a session answers: each connection goes on
// to the same or another port of the session's own loopback, by IPv4 or, where nobody listens there, by IPv6. The
// server may come, go and come again. Whoever uses this machine can connect: a browser's pages, too.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/namespace_dialer.h"
#include "egress/splice_pipes.h"
#include "egress/stream_relay.h"

namespace agentctl::egress {

class PublishedPort {
 public:
  // `listeners`: of the host. The loop and the dialer outlive it.
  PublishedPort(EventLoop& loop, NamespaceDialer& dialer, std::vector<UniqueFd> listeners, std::uint16_t inner_port);
  PublishedPort(const PublishedPort&) = delete;
  PublishedPort& operator=(const PublishedPort&) = delete;
  ~PublishedPort();  // its connections end, too

 private:
  // One that came from the host: first it waits for somebody inside.
  struct Connection {
    UniqueFd near;
    UniqueFd far;
    int family = 0;  // of what is tried
    std::unique_ptr<StreamRelay> relay;
  };

  void on_connection(const UniqueFd& listener);
  void dial(Connection& connection, int family);
  void on_dialled(Connection& connection);
  void remove(const Connection& connection);
  void rest();
  void drop_ended();

  EventLoop& loop_;
  NamespaceDialer& dialer_;
  std::vector<UniqueFd> listeners_;
  std::uint16_t inner_port_;
  SplicePipes pipes_;  // before what uses them
  std::list<Connection> connections_;
  std::optional<EventLoop::TimerId> rest_;  // while no descriptor is left for another connection
};

}  // namespace agentctl::egress
