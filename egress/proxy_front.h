// SPDX-License-Identifier: Apache-2.0
// ProxyFront: what a client says first to the door's own port: SOCKS5, an HTTP CONNECT or an HTTP request for a whole
// URL, told apart by the first byte. Pure. Ends with who is asked for, or with a refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egress/http_head.h"
#include "egress/net_event.h"
#include "egress/socks_handshake.h"

namespace agentctl::egress {

class ProxyFront {
 public:
  // Takes what belongs to it and gives how much that was; takes no more once the state is not `more`. What the client
  // is to be sent meanwhile is put at the end of `answer`.
  std::size_t feed(std::string_view bytes, std::string& answer);

  enum class State { more, asked, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Protocol protocol() const;
  [[nodiscard]] const policy::Endpoint& endpoint() const;  // when asked
  [[nodiscard]] const HttpHead& head() const { return http_.head(); }
  [[nodiscard]] const Denial& denial() const;  // when refused
  // Whether a tunnel is asked for, in which something else is said.
  [[nodiscard]] bool wants_tunnel() const { return is_socks() || http_.head().is_connect; }

  // What tells the client that the tunnel is there, and that it is not.
  [[nodiscard]] std::string acceptance() const;
  [[nodiscard]] std::string rejection(const Denial& denial, std::string_view session) const;

 private:
  [[nodiscard]] bool is_socks() const { return first_ && (*first_ == '\5' || *first_ == '\4'); }

  State state_ = State::more;
  std::optional<char> first_;
  SocksHandshake socks_;
  HttpHeadReader http_{HttpRole::proxy};
};

}  // namespace agentctl::egress
