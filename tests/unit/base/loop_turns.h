// SPDX-License-Identifier: Apache-2.0
// Turns of an event loop for tests, each with a deadline, and something to watch.
#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cstdint>
#include <functional>

#include <doctest/doctest.h>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl {

inline constexpr std::uint64_t kDeadlineUsec = 10'000'000;

inline void run_until(EventLoop& loop, const std::function<bool()>& done) {
  bool is_late = false;
  const auto deadline = loop.after(kDeadlineUsec, [&] { is_late = true; });
  REQUIRE(loop.run_until([&] { return is_late || done(); }));
  loop.cancel(deadline);
  REQUIRE_FALSE(is_late);
}

// Something must be ready, or due.
inline void run_one_round(EventLoop& loop) {
  int asked = 0;
  run_until(loop, [&] { return asked++ > 0; });
}

// Whatever is ready is told; then nothing is for a while.
inline void run_until_nothing_is_ready(EventLoop& loop) {
  bool is_over = false;
  loop.after(20'000, [&] { is_over = true; });
  run_until(loop, [&] { return is_over; });
}

// Readable from the start where `count` is not 0.
inline UniqueFd make_event(unsigned count) {
  UniqueFd fd(::eventfd(count, EFD_CLOEXEC | EFD_NONBLOCK));
  REQUIRE(fd.valid());
  return fd;
}

struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};
inline SocketPair make_socket_pair() {
  int ends[2];
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Both are ready in one round, and whichever is told first forgets the other.
inline void check_that_the_forgotten_is_not_told(const UniqueFd& first, const UniqueFd& second) {
  EventLoop loop;
  int called = 0;
  loop.watch(first.get(), POLLIN, [&](short) {
    ++called;
    loop.forget(second.get());
  });
  loop.watch(second.get(), POLLIN, [&](short) {
    ++called;
    loop.forget(first.get());
  });
  run_one_round(loop);
  CHECK(called == 1);
}

}  // namespace agentctl
