// SPDX-License-Identifier: Apache-2.0
#include "base/timers.h"

#include <climits>
#include <cstdint>
#include <memory>
#include <string>

#include <doctest/doctest.h>

namespace agentctl {

TEST_SUITE("timers") {
  TEST_CASE("whoever is due first is called first, in whatever order they came") {
    Timers timers;
    std::string called;
    timers.add(30, [&] { called += 'c'; });
    timers.add(10, [&] { called += 'a'; });
    timers.add(20, [&] { called += 'b'; });
    timers.run_due(30);
    CHECK(called == "abc");
  }

  TEST_CASE("of those that are due at the same time the earlier comer is called first") {
    Timers timers;
    std::string called;
    for (const char name : {'a', 'b', 'c'}) timers.add(10, [&called, name] { called += name; });
    timers.run_due(10);
    CHECK(called == "abc");
  }

  TEST_CASE("each is called once, and none before its time") {
    Timers timers;
    int called = 0;
    timers.add(10, [&] { ++called; });
    timers.run_due(9);
    CHECK(called == 0);
    timers.run_due(10);
    timers.run_due(11);
    CHECK(called == 1);
  }

  TEST_CASE("one that is cancelled is not called, and to cancel it again is nothing") {
    Timers timers;
    int called = 0;
    const Timers::Id id = timers.add(10, [&] { ++called; });
    timers.cancel(id);
    timers.cancel(id);
    timers.cancel(id + 1);
    timers.run_due(10);
    CHECK(called == 0);
    CHECK(timers.wait_msec(0) == -1);
  }

  TEST_CASE("one that is cancelled by another of the same time is not called") {
    Timers timers;
    int called = 0;
    Timers::Id second = 0;
    timers.add(10, [&] { timers.cancel(second); });
    second = timers.add(10, [&] { ++called; });
    timers.run_due(10);
    CHECK(called == 0);
  }

  TEST_CASE("one that is added meanwhile waits for the next time, even where it is due before others") {
    Timers timers;
    std::string called;
    timers.add(10, [&] {
      called += 'a';
      timers.add(1, [&] { called += 'x'; });
    });
    timers.add(20, [&] { called += 'b'; });
    timers.run_due(20);
    CHECK(called == "ab");
    timers.run_due(20);
    CHECK(called == "abx");
  }

  TEST_CASE("one that adds itself again and again is called once a time") {
    Timers timers;
    int called = 0;
    std::function<void()> again = [&] {
      ++called;
      timers.add(0, again);
    };
    timers.add(0, again);
    for (int time = 1; time <= 3; ++time) {
      timers.run_due(100);
      CHECK(called == time);
    }
  }

  TEST_CASE("what a callback holds lives as long as it runs, though it cancels itself") {
    Timers timers;
    const auto held = std::make_shared<int>(7);
    const std::weak_ptr<int> seen = held;
    Timers::Id id = 0;
    bool was_alive = false;
    id = timers.add(10, [&, copy = held] {
      timers.cancel(id);
      was_alive = *copy == 7;
    });
    timers.run_due(10);
    CHECK(was_alive);
    CHECK(seen.use_count() == 1);
  }

  TEST_CASE("the wait is rounded up, so that nobody wakes too early") {
    Timers timers;
    CHECK(timers.wait_msec(0) == -1);
    timers.add(10'001, [] {});
    CHECK(timers.wait_msec(0) == 11);
    CHECK(timers.wait_msec(1) == 10);
    CHECK(timers.wait_msec(10'000) == 1);
    CHECK(timers.wait_msec(10'001) == 0);
    CHECK(timers.wait_msec(20'000) == 0);
  }

  TEST_CASE("a wait that never ends is as long as the kernel takes it") {
    Timers timers;
    timers.add(UINT64_MAX, [] {});
    CHECK(timers.wait_msec(0) == INT_MAX);
    timers.add(5'000, [] {});
    CHECK(timers.wait_msec(0) == 5);
  }

  TEST_CASE("a hundred thousand that are cancelled leave nothing behind") {
    Timers timers;
    int called = 0;
    for (int count = 0; count < 100'000; ++count) timers.cancel(timers.add(20'000'000, [&] { ++called; }));
    CHECK(timers.wait_msec(0) == -1);
    timers.run_due(UINT64_MAX);
    CHECK(called == 0);
  }
}

}  // namespace agentctl
