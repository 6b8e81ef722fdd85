// SPDX-License-Identifier: Apache-2.0
// RelayedPair: for tests, a StreamRelay with a Talker at each of its sides, on loopback.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/event_loop.h"
#include "egress/stream_relay.h"
#include "tests/unit/egress/talker.h"

namespace agentctl::egress {

inline constexpr unsigned kNear = 1;  // voices
inline constexpr unsigned kFar = 2;

using ConnectedPair = std::pair<UniqueFd, UniqueFd>;
[[nodiscard]] ConnectedPair connect_tcp();   // both non-blocking
[[nodiscard]] ConnectedPair connect_unix();  // whose ends tell at once when the other is gone
// Nobody listens there: to be connected to, and to be refused.
[[nodiscard]] UniqueFd begin_refused_connect();

enum class Transport { tcp, local };

class RelayedPair {
 public:
  // What each says; what it hears is the other.
  RelayedPair(EventLoop& loop, Speech near_says, Speech far_says, RelayStart start = {},
              Transport transport = Transport::tcp);

  // Until the condition holds. Fails the test after a while.
  void run_until(const std::function<bool()>& done);
  // As far as it goes by itself: until nothing more is passed on.
  void run_until_still();
  void run_until_ended() {
    run_until([&] { return end.has_value(); });
  }

  EventLoop& loop;
  std::optional<RelayEnd> end;
  std::unique_ptr<Talker> near, far;
  std::unique_ptr<StreamRelay> relay;
};

// The pipes that this process has come to have since: their descriptors.
class NewPipes {
 public:
  NewPipes();
  [[nodiscard]] std::vector<int> list() const;

 private:
  std::vector<int> before_;
};

}  // namespace agentctl::egress
