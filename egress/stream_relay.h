// SPDX-License-Identifier: Apache-2.0
// StreamRelay: two connected sockets; what comes from one goes to the other, both ways, until both directions have
// ended. An end of input is passed on alone (shutdown(2)), since the other direction may have much to say yet. No time
// limit of its own; memory is bounded by its two buffers. Bytes are not looked at.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::egress {

class StreamRelay {
 public:
  // `near` and `far` are non-blocking; `far` may still be connecting. `ended` is called once, from the loop, and may
  // destroy this.
  StreamRelay(EventLoop& loop, UniqueFd near, UniqueFd far, std::function<void()> ended);
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;
  ~StreamRelay();

  // The near side has nothing more to say: it may be gone.
  [[nodiscard]] bool near_has_ended() const { return ways_[0].has_ended; }
  [[nodiscard]] std::uint64_t bytes_out() const { return ways_[0].passed; }  // from near to far
  [[nodiscard]] std::uint64_t bytes_in() const { return ways_[1].passed; }

 private:
  struct Way {
    int from, to;
    std::string waiting;  // read, and not written yet
    std::size_t written = 0;
    bool has_ended = false;  // nothing more comes
    bool is_over = false;    // and the other side knows
    bool from_is_gone = false;
    std::uint64_t passed = 0;
  };

  void on_ready(int fd, short revents);
  [[nodiscard]] bool read_some(Way& way);
  [[nodiscard]] bool write_some(Way& way);
  void note_gone(int fd);
  [[nodiscard]] bool pass_on(Way& way);
  void update_interest();
  void finish();

  EventLoop& loop_;
  UniqueFd near_, far_;
  bool is_connecting_ = true;
  std::array<Way, 2> ways_;
  std::function<void()> ended_;
};

}  // namespace agentctl::egress
