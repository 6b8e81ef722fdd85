// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/base/loop_turns.h"

namespace agentctl {
namespace {

UniqueFd make_regular_file() {
  UniqueFd fd(::memfd_create("of the test", MFD_CLOEXEC));
  REQUIRE(fd.valid());
  return fd;
}

}  // namespace

TEST_SUITE("event_loop: regular files") {
  TEST_CASE("a regular file is always ready for what was asked, and for nothing else") {
    EventLoop loop;
    const UniqueFd file = make_regular_file();
    std::vector<short> told;
    loop.watch(file.get(), POLLIN | POLLPRI, [&](short revents) { told.push_back(revents); });
    run_until(loop, [&] { return told.size() >= 3; });
    CHECK(told == std::vector<short>{POLLIN, POLLIN, POLLIN});
    told.clear();
    loop.set_events(file.get(), 0);
    run_until_nothing_is_ready(loop);
    CHECK(told.empty());
    loop.set_events(file.get(), POLLOUT);
    run_one_round(loop);
    CHECK(told == std::vector<short>{POLLOUT});
  }

  TEST_CASE("so is what else the kernel has no events for") {
    EventLoop loop;
    const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const UniqueFd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::string called;
    loop.watch(null.get(), POLLIN, [&](short) { called += 'n'; });
    loop.watch(directory.get(), POLLIN, [&](short) { called += 'd'; });
    run_one_round(loop);
    CHECK(called.size() == 2);
  }

  TEST_CASE("a regular file keeps neither timers nor others from their turn") {
    EventLoop loop;
    const UniqueFd file = make_regular_file();
    const UniqueFd event = make_event(1);
    bool is_due = false;
    bool is_read = false;
    loop.watch(file.get(), POLLIN, [](short) {});
    loop.watch(event.get(), POLLIN, [&](short) { is_read = true; });
    loop.after(1'000, [&] { is_due = true; });
    run_until(loop, [&] { return is_due && is_read; });
  }

  TEST_CASE("a regular file that an earlier callback of the round forgets is not told") {
    check_that_the_forgotten_is_not_told(make_regular_file(), make_regular_file());
  }

  TEST_CASE("a number that was a regular file's may be a socket's next") {
    EventLoop loop;
    UniqueFd file = make_regular_file();
    const int number = file.get();
    loop.watch(number, POLLIN, [](short) {});
    loop.forget(number);
    const UniqueFd event = make_event(0);
    REQUIRE(::dup3(event.get(), number, O_CLOEXEC) == number);
    int called = 0;
    loop.watch(number, POLLIN, [&](short) { ++called; });
    run_until_nothing_is_ready(loop);
    CHECK(called == 0);
    REQUIRE(::eventfd_write(event.get(), 1) == 0);
    run_one_round(loop);
    CHECK(called == 1);
  }
}

TEST_SUITE("event_loop: timers and signals") {
  TEST_CASE("a timer is called once, and not before its time") {
    EventLoop loop;
    const std::uint64_t begun = monotonic_usec();
    std::uint64_t called_at = 0;
    int called = 0;
    loop.after(3'300, [&] {
      ++called;
      called_at = monotonic_usec();
    });
    run_until_nothing_is_ready(loop);
    CHECK(called == 1);
    CHECK(called_at >= begun + 3'300);
  }

  TEST_CASE("a timer that is cancelled is not called, and one that is never due wakes nobody") {
    EventLoop loop;
    int called = 0;
    loop.cancel(loop.after(0, [&] { ++called; }));
    loop.after(UINT64_MAX, [&] { ++called; });
    run_until_nothing_is_ready(loop);
    CHECK(called == 0);
  }

  TEST_CASE("a timer that a timer adds is called in a later round") {
    EventLoop loop;
    int called = 0;
    loop.after(0, [&] { loop.after(0, [&] { ++called; }); });
    run_one_round(loop);
    CHECK(called == 0);
    run_one_round(loop);
    CHECK(called == 1);
  }

  TEST_CASE("signals are delivered in the loop") {
    sigset_t before;
    REQUIRE(::sigprocmask(SIG_BLOCK, nullptr, &before) == 0);
    {
      EventLoop loop;
      std::vector<std::uint32_t> told;
      REQUIRE(loop.watch_signals({SIGUSR1, SIGUSR2},
                                 [&](const signalfd_siginfo& info) { told.push_back(info.ssi_signo); }));
      REQUIRE(::raise(SIGUSR1) == 0);
      REQUIRE(::raise(SIGUSR2) == 0);
      run_until(loop, [&] { return told.size() >= 2; });
      std::sort(told.begin(), told.end());
      CHECK(told == std::vector<std::uint32_t>{SIGUSR1, SIGUSR2});
    }
    REQUIRE(::sigprocmask(SIG_SETMASK, &before, nullptr) == 0);
  }
}

}  // namespace agentctl
