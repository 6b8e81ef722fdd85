// SPDX-License-Identifier: Apache-2.0
// NameStub: answers what programs inside ask for names, by UDP and TCP, from the rules alone (dns_answer.h): nobody
// outside hears of it. Owned by the door's process.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/access_list.h"
#include "egress/dns_stream.h"
#include "egress/door_tally.h"
#include "egress/fake_addresses.h"
#include "egress/net_log.h"

namespace agentctl::egress {

class NameStub {
 public:
  // `queries`: the UDP socket; `connections`: the listener. All outlive it.
  NameStub(EventLoop& loop, const UniqueFd& queries, const UniqueFd& connections, const AccessList& rules,
           FakeAddresses& fakes, NetLog& log, DoorTally& tally);
  NameStub(const NameStub&) = delete;
  NameStub& operator=(const NameStub&) = delete;

 private:
  struct Connection {
    UniqueFd socket;
    DnsStream stream;
    EventLoop::TimerId timer = 0;
  };
  using Place = std::list<Connection>::iterator;

  void on_queries();
  void on_connection();
  void on_bytes(Place connection);
  void close(Place connection);
  [[nodiscard]] std::optional<std::string> answer(std::string_view message);

  EventLoop& loop_;
  const UniqueFd& queries_;
  const UniqueFd& listener_;
  const AccessList& rules_;
  FakeAddresses& fakes_;
  NetLog& log_;
  DoorTally& tally_;
  std::list<Connection> connections_;
};

}  // namespace agentctl::egress
