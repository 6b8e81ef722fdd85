// SPDX-License-Identifier: Apache-2.0
// NameConnections: the connections by which a session asks for what does not fit into a packet (RFC 7766), each passed
// on whole to the first of the host's name servers. Bounded in number; one that stands still is closed.
#pragma once

#include <cstdint>
#include <list>
#include <memory>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/name_servers.h"
#include "egress/stream_relay.h"

namespace agentctl::egress {

class NameConnections {
 public:
  // `listener`: of the session's network. All outlive it.
  NameConnections(EventLoop& loop, const UniqueFd& listener, NameServers& servers);
  NameConnections(const NameConnections&) = delete;
  NameConnections& operator=(const NameConnections&) = delete;

 private:
  struct Connection {
    std::unique_ptr<StreamRelay> relay;
    EventLoop::TimerId timer = 0;
  };

  void on_connection();
  void remove(const Connection* connection);

  EventLoop& loop_;
  const UniqueFd& listener_;
  NameServers& servers_;
  std::list<Connection> connections_;
};

}  // namespace agentctl::egress
