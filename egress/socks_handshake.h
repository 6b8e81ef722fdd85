// SPDX-License-Identifier: Apache-2.0
// SocksHandshake: the door's side of SOCKS5 (RFC 1928) until the host is known: no login, CONNECT only. SOCKS4 is
// refused, and so are BIND and UDP ASSOCIATE: nothing is listened for, and no datagram leaves. A name in it is held to
// the rules of every other name (a NUL in one has let others' allowlists be passed). Bytes may come in pieces. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "egress/denial.h"
#include "policy/host.h"

namespace agentctl::egress {

// RFC 1928, 6.
enum class SocksReply : std::uint8_t {
  succeeded = 0,
  failure = 1,
  not_allowed = 2,
  network_unreachable = 3,
  host_unreachable = 4,
  refused = 5,
  expired = 6,
  no_such_command = 7,
  no_such_address_type = 8,
};
[[nodiscard]] std::string socks_reply(SocksReply code);  // with no bound address: it would tell of the host's network
[[nodiscard]] SocksReply reply_for(Reason reason);

class SocksHandshake {
 public:
  // Takes what belongs to the handshake and gives how much that was; takes no more once the state is not `more`. What
  // the client is to be sent meanwhile is put at the end of `answer`, also where it is refused.
  std::size_t feed(std::string_view bytes, std::string& answer);

  // `asked`: the host is known, and the client waits for a socks_reply().
  enum class State { more, asked, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const policy::Endpoint& endpoint() const { return *endpoint_; }  // when asked
  [[nodiscard]] const Denial& denial() const { return denial_; }                 // when refused

 private:
  [[nodiscard]] std::optional<std::size_t> size_needed() const;  // of the message at hand, as far as it can be told
  void take_greeting(std::string& answer);
  void take_request(std::string& answer);
  void refuse(Denial denial) {
    state_ = State::refused;
    denial_ = std::move(denial);
  }

  State state_ = State::more;
  bool is_greeted_ = false;
  std::string message_;
  std::optional<policy::Endpoint> endpoint_;
  Denial denial_;
};

}  // namespace agentctl::egress
