// SPDX-License-Identifier: Apache-2.0
// HttpStatusReader: reads the head of a response as far as the door must know it: whether a proxy further out has
// opened the tunnel, and whether an origin took to the websocket (101), before which nothing more of the client's goes
// on. Everything else of responses goes to the client as it came. Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentctl::egress {

class HttpStatusReader {
 public:
  // Takes what belongs to the head and gives how much that was; takes no more once the state is not `more`.
  std::size_t feed(std::string_view bytes);

  enum class State { more, done, refused };  // refused: no HTTP/1, or a head that is larger than 64 KiB
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] unsigned status() const { return status_; }        // when done: 100 to 599
  [[nodiscard]] const std::string& head() const { return head_; }  // all that was taken

 private:
  State state_ = State::more;
  unsigned status_ = 0;
  std::size_t line_start_ = 0;
  std::string head_;
};

}  // namespace agentctl::egress
