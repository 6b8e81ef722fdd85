// SPDX-License-Identifier: Apache-2.0
#include "manager/time_limit.h"

#include <utility>

#include "base/quantity.h"
#include "base/text.h"

namespace agentctl::manager {

TimeLimit::TimeLimit(EventLoop& loop, std::uint64_t limit_usec, std::function<void()> reached)
    : loop_(loop), limit_usec_(limit_usec), reached_(std::move(reached)), since_usec_(monotonic_usec()) {
  arm();
}

TimeLimit::~TimeLimit() {
  if (timer_) loop_.cancel(*timer_);
}

std::uint64_t TimeLimit::ran_usec() const {
  return counted_usec_ + (since_usec_ ? monotonic_usec() - *since_usec_ : 0);
}

void TimeLimit::arm() {
  if (timer_) loop_.cancel(*std::exchange(timer_, std::nullopt));
  if (!since_usec_ || limit_usec_ == kInfinity) return;
  const std::uint64_t ran = ran_usec();
  timer_ = loop_.after(ran < limit_usec_ ? limit_usec_ - ran : 0, [this] {
    timer_.reset();
    reached_();
  });
}

void TimeLimit::pause() {
  if (!since_usec_) return;
  counted_usec_ = ran_usec();
  since_usec_.reset();
  arm();
}

void TimeLimit::resume() {
  if (since_usec_) return;
  since_usec_ = monotonic_usec();
  arm();
}

Result<void> TimeLimit::change(std::uint64_t limit_usec) {
  if (const std::uint64_t ran = ran_usec(); limit_usec <= ran) {
    return make_error(
        ErrorKind::system,
        cat("runtime-max must be more than the ", format_duration(ran / 1'000U * 1'000U), " that the session has run"),
        "to end it now: agentctl stop");
  }
  limit_usec_ = limit_usec;
  arm();
  return {};
}

}  // namespace agentctl::manager
