// SPDX-License-Identifier: Apache-2.0
// RequestGate: the gate of an HTTP request whose head has gone on: its body follows, and what the client sends after
// that never goes on, for it would be another request, which may be for another host. Where the request asks for a
// websocket and the origin answers 101, everything goes on from then on; what the client sent too early waits for that.
// Pure. What it does not protect against: an origin that takes what follows its own 101 for a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "egress/http_body.h"
#include "egress/http_head.h"
#include "egress/http_status.h"
#include "egress/relay_gate.h"

namespace agentctl::egress {

class RequestGate final : public RelayGate {
 public:
  explicit RequestGate(const HttpHead& head) : body_(head.framing) {
    if (head.wants_websocket) answer_.emplace();
  }

  void pass(std::string_view from_near, std::string& to_far) override;
  void look_at_answer(std::string_view from_far) override;
  [[nodiscard]] bool looks_at_answer() const override { return answer_.has_value() && state_ == State::watching; }
  [[nodiscard]] State state() const override { return state_; }
  [[nodiscard]] const Denial& denial() const override { return denial_; }

 private:
  void refuse(Denial denial);

  State state_ = State::watching;
  HttpBody body_;
  std::optional<HttpStatusReader> answer_;  // while the origin may still take to the websocket
  std::string early_;                       // sent after the request, before that
  Denial denial_;
};

}  // namespace agentctl::egress
