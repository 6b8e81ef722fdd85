// SPDX-License-Identifier: Apache-2.0
// RelayGate: what looks on at a relayed connection that may not simply go on as it is: it says what of the near side's
// bytes goes to the far side, and when. Owned by the relay. It stops nothing that comes from the far side. Pure.
#pragma once

#include <string>
#include <string_view>

#include "egress/denial.h"

namespace agentctl::egress {

class RelayGate {
 public:
  RelayGate() = default;
  RelayGate(const RelayGate&) = delete;
  RelayGate& operator=(const RelayGate&) = delete;
  virtual ~RelayGate() = default;

  // Takes what the near side sent and gives what may go on now, at the end of `to_far`. What it holds back is bounded.
  virtual void pass(std::string_view from_near, std::string& to_far) = 0;
  // Sees what the far side sent, all of which goes to the near side; asked for only while looks_at_answer().
  virtual void look_at_answer(std::string_view from_far) = 0;
  [[nodiscard]] virtual bool looks_at_answer() const = 0;

  // `over`: whatever comes may go on without a look, once pass() has been called for the last time, with nothing if
  // need be, and has given what was held back. `refused`: nothing may go on any more.
  enum class State { watching, over, refused };
  [[nodiscard]] virtual State state() const = 0;
  [[nodiscard]] virtual const Denial& denial() const = 0;  // when refused; without `asked`
};

}  // namespace agentctl::egress
