// SPDX-License-Identifier: Apache-2.0
// DoorConnection: one connection from inside, from its first byte to its last: who is asked for (ProxyFront, or the
// address that it went to), the decision, the look-up, what it says inside (InnerLook), the connection to the host, and
// then the bytes (StreamRelay). Nothing is connected to before all of that is found to be allowed. Until the host is
// connected a minute is all there is; from then on no time limit. Owned by the door's process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/door_tally.h"
#include "egress/inner_look.h"
#include "egress/net_log.h"
#include "egress/outbound.h"
#include "egress/proxy_front.h"
#include "egress/stream_relay.h"

namespace agentctl::egress {

// What the connections of one door share.
struct DoorParts {
  Outside outside;
  const FakeAddresses& fakes;
  NetLog& log;
  DoorTally& tally;
  SplicePipes& pipes;
  const std::string& session;
};

class DoorConnection {
 public:
  // `going_to`: the address that the client connected to, where it knew of no proxy. `ended` is called once, from the
  // loop, and may destroy this.
  DoorConnection(const DoorParts& parts, UniqueFd client, std::optional<policy::Endpoint> going_to,
                 std::function<void()> ended);
  DoorConnection(const DoorConnection&) = delete;
  DoorConnection& operator=(const DoorConnection&) = delete;
  ~DoorConnection();

 private:
  enum class Step { front, preparing, inner, connecting, relaying, parting };

  void wait_to_be_asked();
  void on_ready(short revents);
  [[nodiscard]] bool read_some();  // false: nothing more comes
  void advance();
  void take_front();
  void decide_on(const policy::Endpoint& asked);
  void take_inner();
  void prepare();
  void on_prepared(const std::optional<Denial>& denial);
  [[nodiscard]] bool is_permitted_still();
  void connect();
  void on_connected(Outbound::Connected connected);
  [[nodiscard]] std::string first_words() const;
  [[nodiscard]] std::unique_ptr<RelayGate> make_gate() const;
  void on_relay_end(RelayEnd end);

  void deny(const Denial& denial);
  [[nodiscard]] std::string rejection() const;  // what the client is sent of the denial
  void part_with(std::string words);
  void on_parting(short revents);
  void note_end();
  void end();

  [[nodiscard]] const HttpHead* request() const;
  [[nodiscard]] bool is_tunnel() const { return !going_to_ && front_.wants_tunnel(); }

  const DoorParts& parts_;
  UniqueFd client_;
  std::optional<policy::Endpoint> going_to_;
  std::function<void()> ended_;
  std::uint64_t begun_usec_;
  EventLoop::TimerId timer_ = 0;
  Step step_ = Step::front;
  std::string input_;   // read, and not yet used
  std::string output_;  // to be said while parting
  ProxyFront front_;
  bool is_accepted_ = false;  // the client of a tunnel knows that it is there
  std::optional<Permit> permit_;
  std::optional<Denial> denial_;
  std::optional<InnerLook> inner_;
  std::optional<Outbound> outbound_;
  bool is_prepared_ = false;
  std::optional<StreamRelay> relay_;
};

}  // namespace agentctl::egress
