// SPDX-License-Identifier: Apache-2.0
// NameQueries: the queries for names that a session sends by UDP, each passed on to a name server of the host's and its
// answer passed back, byte for byte. The server that a query goes to first is asked again only if no other is left.
// Bounded: what is too much is dropped, as networks do. Nothing is filtered: a name that leads to a closed address is
// answered, and the address is closed all the same. Sources: RFC 1035 4.2.1, resolv.conf(5).
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/name_servers.h"

namespace agentctl::egress {

class NameQueries {
 public:
  // `socket`: bound inside of the session's network. All outlive it.
  NameQueries(EventLoop& loop, const UniqueFd& socket, NameServers& servers);
  NameQueries(const NameQueries&) = delete;
  NameQueries& operator=(const NameQueries&) = delete;

 private:
  struct Query {
    std::string text;
    sockaddr_storage asker{};
    socklen_t asker_size = 0;
    std::size_t next_server = 0;
    UniqueFd upstream;
    EventLoop::TimerId timer = 0;
  };

  void on_query();
  void ask_next(Query& query);
  void on_answer(Query& query);
  void drop(Query& query);
  void stop_asking(Query& query);

  EventLoop& loop_;
  const UniqueFd& socket_;
  NameServers& servers_;
  std::vector<std::unique_ptr<Query>> queries_;
};

}  // namespace agentctl::egress
