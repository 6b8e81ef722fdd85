// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/file.h"
#include "tests/unit/base/loop_turns.h"

namespace agentctl {
namespace {

Pipe pipe_of_test() {
  auto made = make_pipe();
  REQUIRE(made);
  return std::move(*made);
}

}  // namespace

TEST_SUITE("event_loop: descriptors") {
  TEST_CASE("what can be read is told, and no more than was asked for") {
    EventLoop loop;
    const SocketPair ends = make_socket_pair();
    short told = 0;
    loop.watch(ends.ours.get(), POLLIN, [&](short revents) { told = revents; });
    REQUIRE(::write(ends.theirs.get(), "x", 1) == 1);
    run_until(loop, [&] { return told != 0; });
    CHECK(told == POLLIN);
  }

  TEST_CASE("what is wanted may change, up to nothing") {
    EventLoop loop;
    const SocketPair ends = make_socket_pair();
    short told = 0;
    loop.watch(ends.ours.get(), 0, [&](short revents) { told = revents; });
    run_until_nothing_is_ready(loop);
    CHECK(told == 0);
    loop.set_events(ends.ours.get(), POLLIN | POLLOUT);
    run_one_round(loop);
    CHECK(told == POLLOUT);
    told = 0;
    loop.set_events(ends.ours.get(), 0);
    run_until_nothing_is_ready(loop);
    CHECK(told == 0);
  }

  TEST_CASE("an end and an error are told without being asked for") {
    EventLoop loop;
    Pipe to_read = pipe_of_test();
    Pipe to_write = pipe_of_test();
    short read_end = 0;
    short write_end = 0;
    loop.watch(to_read.read_end.get(), 0, [&](short revents) { read_end = revents; });
    loop.watch(to_write.write_end.get(), 0, [&](short revents) { write_end = revents; });
    to_read.write_end.reset();
    to_write.read_end.reset();
    run_until(loop, [&] { return read_end != 0 && write_end != 0; });
    CHECK(read_end == POLLHUP);
    CHECK(write_end == POLLERR);
  }

  TEST_CASE("all are told, however many are ready at once") {
    EventLoop loop;
    constexpr std::size_t kMany = 300;
    std::vector<UniqueFd> events;
    std::vector<int> told(kMany);
    for (std::size_t at = 0; at < kMany; ++at) {
      events.push_back(make_event(1));
      loop.watch(events.back().get(), POLLIN, [&, at](short) {
        ++told[at];
        loop.set_events(events[at].get(), 0);
      });
    }
    run_until_nothing_is_ready(loop);
    CHECK(std::all_of(told.begin(), told.end(), [](int count) { return count == 1; }));
  }

  TEST_CASE("a descriptor that is forgotten is told no more") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    int called = 0;
    loop.watch(event.get(), POLLIN, [&](short) {
      ++called;
      loop.forget(event.get());
    });
    run_until_nothing_is_ready(loop);
    CHECK(called == 1);
    loop.forget(event.get());
    loop.set_events(event.get(), POLLIN);
    run_until_nothing_is_ready(loop);
    CHECK(called == 1);
  }

  TEST_CASE("what a callback holds lives as long as it runs, though it forgets itself") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    const auto held = std::make_shared<int>(7);
    bool was_alive = false;
    loop.watch(event.get(), POLLIN, [&, copy = held](short) {
      loop.forget(event.get());
      was_alive = *copy == 7;
    });
    run_one_round(loop);
    CHECK(was_alive);
    CHECK(held.use_count() == 1);
  }

  TEST_CASE("a descriptor that an earlier callback of the round forgets is not told") {
    check_that_the_forgotten_is_not_told(make_event(1), make_event(1));
  }

  TEST_CASE("a timer may forget a descriptor that is ready in the same round") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    int called = 0;
    loop.watch(event.get(), POLLIN, [&](short) { ++called; });
    loop.after(0, [&] { loop.forget(event.get()); });
    run_one_round(loop);
    CHECK(called == 0);
  }

  TEST_CASE("a number that was closed, opened and watched again in the round is not told of what the old one was") {
    EventLoop loop;
    const UniqueFd events[2] = {make_event(1), make_event(1)};
    int old_called = 0;
    int new_called = 0;
    for (const int self : {0, 1}) {
      loop.watch(events[self].get(), POLLIN, [&, self](short) {
        if (++old_called > 1) return;
        loop.set_events(events[self].get(), 0);
        const int number = events[1 - self].get();
        const UniqueFd fresh = make_event(0);
        loop.forget(number);
        REQUIRE(::dup3(fresh.get(), number, O_CLOEXEC) == number);
        loop.watch(number, POLLIN, [&](short) { ++new_called; });
      });
    }
    run_until_nothing_is_ready(loop);
    CHECK(old_called == 1);
    CHECK(new_called == 0);
  }

  TEST_CASE("what is watched anew in a round is told in the next") {
    EventLoop loop;
    const UniqueFd events[2] = {make_event(1), make_event(1)};
    int new_called = 0;
    for (const int self : {0, 1}) {
      loop.watch(events[self].get(), POLLIN, [&, self](short) {
        loop.forget(events[self].get());
        loop.watch(events[1 - self].get(), POLLIN, [&](short) { ++new_called; });
      });
    }
    run_one_round(loop);
    CHECK(new_called == 0);
    run_one_round(loop);
    CHECK(new_called == 1);
  }

  TEST_CASE("another watch of a descriptor takes the place of the first") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    std::string called;
    loop.watch(event.get(), POLLIN, [&](short) { called += 'a'; });
    loop.watch(event.get(), POLLIN, [&](short) { called += 'b'; });
    run_one_round(loop);
    CHECK(called == "b");
  }

  TEST_CASE("two descriptors of one open file are watched each for itself") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    const UniqueFd copy(::fcntl(event.get(), F_DUPFD_CLOEXEC, 0));
    std::string called;
    loop.watch(event.get(), POLLIN, [&](short) { called += 'a'; });
    loop.watch(copy.get(), POLLIN, [&](short) { called += 'b'; });
    run_one_round(loop);
    CHECK(called.size() == 2);
    loop.forget(event.get());
    called.clear();
    run_one_round(loop);
    CHECK(called == "b");
  }

  TEST_CASE("a negative number is never ready and hinders nobody") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    int called = 0;
    loop.watch(-1, POLLIN, [&](short) { FAIL("it is no descriptor"); });
    loop.set_events(-1, POLLOUT);
    loop.watch(event.get(), POLLIN, [&](short) { ++called; });
    run_one_round(loop);
    CHECK(called == 1);
    loop.forget(-1);
  }

  TEST_CASE("a descriptor that is not open ends the loop with an error and not in silence") {
    EventLoop loop;
    const int number = make_event(0).get();  // closed again by now
    loop.watch(number, POLLIN, [](short) {});
    const auto ran = loop.run_until([] { return false; });
    REQUIRE_FALSE(ran);
    CHECK(ran.error().sys_errno == EBADF);
  }
}

}  // namespace agentctl
