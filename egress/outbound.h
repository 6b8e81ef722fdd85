// SPDX-License-Identifier: Apache-2.0
// Outbound: the way from the door to one host that a rule permits: its name is looked up, what it leads to is judged,
// and exactly that is connected to, in turn until one answers; or, where the user's company has a proxy, by a tunnel
// through it. Owned by a DoorConnection; nothing is called any more once it is destroyed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/decision.h"
#include "egress/http_status.h"
#include "egress/near_networks.h"
#include "egress/resolver.h"
#include "egress/upstream.h"

namespace agentctl::egress {

// What all connections of a door share.
struct Outside {
  EventLoop& loop;
  Resolver& resolver;
  const AccessList& rules;
  NearNetworks& networks;
  const std::optional<Upstream>& upstream;
  const DirectHosts& direct_hosts;
};

class Outbound {
 public:
  struct Connected {
    UniqueFd socket;      // non-blocking
    std::string arrived;  // what the host said already
  };
  using WhenPrepared = std::function<void(std::optional<Denial>)>;
  using WhenConnected = std::function<void(std::variant<Connected, Denial>)>;

  Outbound(const Outside& outside, Permit permit);
  Outbound(const Outbound&) = delete;
  Outbound& operator=(const Outbound&) = delete;
  ~Outbound();

  // First this: nothing is connected to yet. The callback may destroy this; it may be called before prepare() returns.
  void prepare(WhenPrepared then);
  // Then this. `tunnel`: also through an upstream proxy the host itself is to be spoken to.
  void connect(bool tunnel, WhenConnected then);

  [[nodiscard]] const Permit& permit() const { return permit_; }
  // The proxy that is spoken to instead of the host; null: none.
  [[nodiscard]] const Upstream* upstream() const;
  [[nodiscard]] std::optional<policy::IpAddress> address() const { return address_; }  // that was connected to last

 private:
  void on_resolved(const Result<std::vector<policy::IpAddress>>& found);
  void prepared(std::optional<Denial> denial);
  void try_next();
  void on_writable();
  void ask_for_tunnel();
  void on_tunnel_answer();
  void connected(std::string arrived);
  void fail(Reason reason, std::string detail);
  void stop_waiting();
  [[nodiscard]] const policy::Endpoint& next_hop() const;

  const Outside& outside_;
  Permit permit_;
  bool uses_upstream_;
  bool tunnel_ = false;
  WhenPrepared when_prepared_;
  WhenConnected when_connected_;
  Resolver::AskId ask_ = 0;
  std::vector<policy::IpAddress> targets_;
  std::size_t tried_ = 0;
  int last_error_ = 0;
  std::optional<policy::IpAddress> address_;
  UniqueFd socket_;
  EventLoop::TimerId timer_ = 0;
  HttpStatusReader answer_;
};

}  // namespace agentctl::egress
