// SPDX-License-Identifier: Apache-2.0
// InnerLook: what the door reads of a tunnel, or of a connection that knew no proxy, before anything goes on: TLS's
// first message or the head of an HTTP request, by which it is held to the host that was asked for. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "egress/client_hello.h"
#include "egress/decision.h"
#include "egress/http_head.h"
#include "egress/relay_gate.h"

namespace agentctl::egress {

class InnerLook {
 public:
  explicit InnerLook(Carries carries);

  // As HttpHeadReader::feed().
  std::size_t feed(std::string_view bytes);

  enum class State { more, done, refused };
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] Carries carries() const { return carries_; }
  [[nodiscard]] const Denial& denial() const;  // when refused
  // The request: null where it is none.
  [[nodiscard]] const HttpHead* head() const { return carries_ == Carries::http ? &http_.head() : nullptr; }

  // When done: whether what was said fits what is permitted.
  [[nodiscard]] std::optional<Denial> check(const AccessList& rules, const Permit& permit) const;
  // What was read of TLS, which goes on as it came.
  [[nodiscard]] const std::string& hello_bytes() const { return hello_.bytes(); }
  [[nodiscard]] std::unique_ptr<RelayGate> make_gate() const;  // null: nothing is to be looked at any more

  // What the client is sent instead: an alert, an answer; nothing where it would understand neither.
  [[nodiscard]] std::string rejection(const Denial& denial, std::string_view session) const;

 private:
  Carries carries_;
  State state_;
  ClientHelloReader hello_;
  HttpHeadReader http_{HttpRole::origin};
};

}  // namespace agentctl::egress
