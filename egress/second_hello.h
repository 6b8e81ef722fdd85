// SPDX-License-Identifier: Apache-2.0
// SecondHello: looks on after a TLS client's hello until it is certain that no other hello for another server follows.
// A server of TLS 1.3 may ask for a second one (HelloRetryRequest, RFC 8446, 4.1.4), still in the clear, and which of
// two names it then goes by is its own affair. What the client sends is held back only where it is a hello; the
// server's first record says when the look is over, and with it its cost. Pure. What it does not protect against: a
// server that splits its first record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egress/client_hello.h"

namespace agentctl::egress {

class SecondHello {
 public:
  explicit SecondHello(std::optional<policy::HostName> first_name) : first_name_(std::move(first_name)) {}

  // Takes what the client sent and gives what may go on now, at the end of `out`.
  void pass(std::string_view bytes, std::string& out);
  // Looks at what the server sent, all of which may go on to the client.
  void look_at_answer(std::string_view bytes);

  // `over`: whatever comes may go on without a look, once pass() has given what it still held.
  enum class State { watching, over, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const Denial& denial() const { return denial_; }  // when refused

 private:
  [[nodiscard]] bool take_record(std::string& out);
  void take_hello(std::string& out);
  void refuse(Denial denial) {
    state_ = State::refused;
    denial_ = std::move(denial);
  }

  State state_ = State::watching;
  std::optional<policy::HostName> first_name_;
  bool is_answer_known_ = false;
  std::string answer_;  // its first bytes
  std::string held_;
  std::size_t unheld_ = 0;  // bytes of a record that is no hello which are still to come
  Denial denial_;
};

}  // namespace agentctl::egress
