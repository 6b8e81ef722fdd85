// SPDX-License-Identifier: Apache-2.0
#include "manager/time_limit.h"

#include <doctest/doctest.h>

#include "base/quantity.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kShort = 20'000;

// Whether the limit was reached by `usec` from now.
bool is_reached(EventLoop& loop, const bool& reached, std::uint64_t usec) {
  bool is_over = false;
  loop.after(usec, [&] { is_over = true; });
  REQUIRE(loop.run_until([&] { return reached || is_over; }).has_value());
  return reached;
}

}  // namespace

TEST_SUITE("time_limit") {
  TEST_CASE("it is reached when the session has run for so long") {
    EventLoop loop;
    bool reached = false;
    const TimeLimit limit(loop, kShort, [&] { reached = true; });
    CHECK(is_reached(loop, reached, 60'000'000));
    CHECK(limit.ran_usec() >= kShort);
  }

  TEST_CASE("the time that a session is paused does not count") {
    EventLoop loop;
    bool reached = false;
    TimeLimit limit(loop, kShort, [&] { reached = true; });
    limit.pause();
    limit.pause();
    const std::uint64_t ran = limit.ran_usec();
    CHECK_FALSE(is_reached(loop, reached, 3 * kShort));
    CHECK(limit.ran_usec() == ran);
    limit.resume();
    limit.resume();
    CHECK(is_reached(loop, reached, 60'000'000));
  }

  TEST_CASE("a new limit counts from the start of the session") {
    EventLoop loop;
    bool reached = false;
    TimeLimit limit(loop, kInfinity, [&] { reached = true; });
    CHECK_FALSE(is_reached(loop, reached, kShort));
    CHECK(limit.change(2 * kShort).has_value());
    CHECK(is_reached(loop, reached, 60'000'000));
  }

  TEST_CASE("a limit that has passed already is refused, and the old one stays") {
    EventLoop loop;
    bool reached = false;
    TimeLimit limit(loop, kInfinity, [&] { reached = true; });
    CHECK_FALSE(is_reached(loop, reached, kShort));
    CHECK_FALSE(limit.change(kShort / 2).has_value());
    CHECK_FALSE(is_reached(loop, reached, kShort));
  }

  TEST_CASE("an infinite limit is never reached, and one that is gone is not either") {
    EventLoop loop;
    bool reached = false;
    {
      const TimeLimit gone(loop, kShort, [&] { reached = true; });
    }
    const TimeLimit infinite(loop, kInfinity, [&] { reached = true; });
    CHECK_FALSE(is_reached(loop, reached, 2 * kShort));
  }
}

}  // namespace agentctl::manager
