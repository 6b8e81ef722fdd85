// SPDX-License-Identifier: Apache-2.0
// PublishedPort: a port of one loopback behind which a server of another one answers: a session's on the host's, or one
// of the host's in a session. Each connection goes on to the same or another port there, by IPv4 or, where nobody
// listens there, by IPv6. The server may come, go and come again. Whoever uses the host can connect to what is
// published there: a browser's pages, too.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "egress/splice_pipes.h"
#include "egress/stream_relay.h"

namespace agentctl::egress {

class PublishedPort {
 public:
  // A TCP socket of the network in which the server is, non-blocking, of the family.
  using MakeSocket = std::function<Result<UniqueFd>(int family)>;

  // The loop outlives it.
  PublishedPort(EventLoop& loop, std::vector<UniqueFd> listeners, std::uint16_t port, MakeSocket make_socket);
  PublishedPort(const PublishedPort&) = delete;
  PublishedPort& operator=(const PublishedPort&) = delete;
  ~PublishedPort();  // its connections end, too

 private:
  // First it waits for somebody on the other side.
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
  std::vector<UniqueFd> listeners_;
  std::uint16_t port_;
  MakeSocket make_socket_;
  SplicePipes pipes_;  // before what uses them
  std::list<Connection> connections_;
  std::optional<EventLoop::TimerId> rest_;  // while no descriptor is left for another connection
};

}  // namespace agentctl::egress
