// SPDX-License-Identifier: Apache-2.0
// TimeLimit: how long a session may run, on a timer of ours: systemd's cannot be changed while the scope lives, and
// goes on while it is frozen. The time that a session is paused does not count, nor does the machine's sleep.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/event_loop.h"
#include "base/result.h"

namespace agentctl::manager {

class TimeLimit {
 public:
  // Begins to count now. `reached` is called once, from the loop, which outlives this; kInfinity: never.
  TimeLimit(EventLoop& loop, std::uint64_t limit_usec, std::function<void()> reached);
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
  ~TimeLimit();

  void pause();
  void resume();
  // Refused when the session has run for longer already.
  [[nodiscard]] Result<void> change(std::uint64_t limit_usec);
  [[nodiscard]] std::uint64_t limit_usec() const { return limit_usec_; }
  [[nodiscard]] std::uint64_t ran_usec() const;

 private:
  void arm();

  EventLoop& loop_;
  std::uint64_t limit_usec_;
  std::function<void()> reached_;
  std::uint64_t counted_usec_ = 0;           // before `since_usec_`
  std::optional<std::uint64_t> since_usec_;  // CLOCK_MONOTONIC; none while paused
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace agentctl::manager
