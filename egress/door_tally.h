// SPDX-License-Identifier: Apache-2.0
// DoorTally: how often the door decided, and what it denied last: what its user hears of it. Owned by the door.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "egress/denial.h"

namespace agentctl::egress {

class DoorTally {
 public:
  explicit DoorTally(std::function<void()> changed) : changed_(std::move(changed)) {}

  void count_allowed() {
    ++allowed_;
    changed_();
  }
  void count_denied(const Denial& denial) {
    ++denied_;
    last_ = denial;
    changed_();
  }

  [[nodiscard]] std::uint64_t allowed() const { return allowed_; }
  [[nodiscard]] std::uint64_t denied() const { return denied_; }
  [[nodiscard]] const Denial& last() const { return last_; }  // once anything was denied

 private:
  std::function<void()> changed_;
  std::uint64_t allowed_ = 0, denied_ = 0;
  Denial last_;
};

}  // namespace agentctl::egress
