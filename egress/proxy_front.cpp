// SPDX-License-Identifier: Apache-2.0
#include "egress/proxy_front.h"

#include "egress/http_answer.h"

namespace agentctl::egress {

std::size_t ProxyFront::feed(std::string_view bytes, std::string& answer) {
  if (bytes.empty() || state_ != State::more) return 0;
  if (!first_) first_ = bytes.front();
  if (is_socks()) {
    const std::size_t taken = socks_.feed(bytes, answer);
    if (socks_.state() == SocksHandshake::State::asked) state_ = State::asked;
    if (socks_.state() == SocksHandshake::State::refused) state_ = State::refused;
    return taken;
  }
  const std::size_t taken = http_.feed(bytes);
  if (http_.state() == HttpHeadReader::State::done) state_ = State::asked;
  if (http_.state() == HttpHeadReader::State::refused) state_ = State::refused;
  return taken;
}

Protocol ProxyFront::protocol() const {
  if (is_socks()) return Protocol::socks5;
  return http_.head().is_connect ? Protocol::connect : Protocol::http;
}

const policy::Endpoint& ProxyFront::endpoint() const { return is_socks() ? socks_.endpoint() : *http_.head().endpoint; }

const Denial& ProxyFront::denial() const { return is_socks() ? socks_.denial() : http_.denial(); }

std::string ProxyFront::acceptance() const {
  return is_socks() ? socks_reply(SocksReply::succeeded) : std::string(kConnected);
}

std::string ProxyFront::rejection(const Denial& denial, std::string_view session) const {
  if (!is_socks()) return denial_answer(denial, session, http_.head().method == "HEAD");
  // A handshake that went wrong has been answered by itself.
  return socks_.state() == SocksHandshake::State::asked ? socks_reply(reply_for(denial.reason)) : std::string();
}

}  // namespace agentctl::egress
