// SPDX-License-Identifier: Apache-2.0
// StreamRelay: two connected sockets; what comes from one goes to the other, both ways, until both directions have
// ended. An end of input is passed on alone (shutdown(2)), since the other direction may have much to say yet. Each
// side may be told something first, and a gate may look on at what the near side sends; else bytes are not looked at.
// No time limit of its own; memory is bounded (relay_way.h), and none is held while nobody says anything.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "egress/relay_gate.h"
#include "egress/relay_way.h"
#include "egress/splice_pipes.h"

namespace agentctl::egress {

enum class RelayEnd {
  over,           // both sides have said all they had to say, or one is gone that had
  broken,         // a connection was reset, or the like
  refused,        // by the gate
  no_connection,  // to the far side; nothing was taken from the near side, nor given to it
};

struct RelayStart {
  std::string to_far;               // before anything that comes from the near side; the gate does not see it
  std::string to_near;              // once the far side is connected, before anything that comes from it
  std::unique_ptr<RelayGate> gate;  // none: all goes on as it comes
  SplicePipes* pipes = nullptr;     // outlives the relay; without them all that goes on is copied
};

class StreamRelay {
 public:
  // `near` and `far` are non-blocking; `far` may still be connecting, and nothing else is done before it is connected.
  // `ended` is called once, from the loop, and may destroy this.
  StreamRelay(EventLoop& loop, UniqueFd near, UniqueFd far, std::function<void(RelayEnd)> ended, RelayStart start = {});
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;
  ~StreamRelay();

  // The near side has nothing more to say: it may be gone.
  [[nodiscard]] bool near_has_ended() const { return out_.has_ended(); }
  // Bytes given to each side, its first words included.
  [[nodiscard]] std::uint64_t bytes_out() const { return out_.passed(); }  // to far
  [[nodiscard]] std::uint64_t bytes_in() const { return in_.passed(); }    // to near

  // When it has ended for that reason:
  [[nodiscard]] const Denial& denial() const { return gate_->denial(); }  // refused
  [[nodiscard]] int connect_error() const { return connect_error_; }      // no_connection: the errno of connect(2)
  // no_connection: to answer it, or to try again. refused: to say so, unless bytes for it are left.
  [[nodiscard]] UniqueFd take_near() { return std::move(near_); }
  [[nodiscard]] bool owes_near() const { return in_.is_waiting(); }

 private:
  void on_ready(int fd, short revents);
  [[nodiscard]] bool finish_connect();
  void note_gone(int fd);
  [[nodiscard]] bool ask_gate();
  void update_interest();
  void finish(RelayEnd end);

  EventLoop& loop_;
  UniqueFd near_, far_;
  bool is_connecting_ = true;
  int connect_error_ = 0;
  std::unique_ptr<RelayGate> gate_;  // while it watches, or has refused
  RelayWay out_, in_;
  std::function<void(RelayEnd)> ended_;
};

}  // namespace agentctl::egress
