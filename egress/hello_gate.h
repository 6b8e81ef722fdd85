// SPDX-License-Identifier: Apache-2.0
// HelloGate: the gate of a TLS connection whose hello has gone on: no second hello for another server (second_hello.h).
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "egress/relay_gate.h"
#include "egress/second_hello.h"

namespace agentctl::egress {

class HelloGate final : public RelayGate {
 public:
  explicit HelloGate(std::optional<policy::HostName> first_name) : second_(std::move(first_name)) {}

  void pass(std::string_view from_near, std::string& to_far) override { second_.pass(from_near, to_far); }
  void look_at_answer(std::string_view from_far) override { second_.look_at_answer(from_far); }
  [[nodiscard]] bool looks_at_answer() const override { return second_.state() == SecondHello::State::watching; }
  [[nodiscard]] State state() const override;
  [[nodiscard]] const Denial& denial() const override { return second_.denial(); }

 private:
  SecondHello second_;
};

}  // namespace agentctl::egress
