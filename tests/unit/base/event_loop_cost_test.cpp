// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/file.h"
#include "tests/unit/base/loop_turns.h"

namespace agentctl {
namespace {

std::uint64_t cpu_usec() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(used.tv_nsec) / 1'000;
}

std::vector<int> find_epolls() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) == "anon_inode:[eventpoll]") {
      found.push_back(std::stoi(entry.path().filename()));
    }
  }
  return found;
}

}  // namespace

TEST_SUITE("event_loop: processes and cost") {
  TEST_CASE("a forked child that closes all it has takes nothing from its parent's loop") {
    EventLoop loop;
    const auto made = make_pipe();
    REQUIRE(made);
    const Pipe& pipe = *made;
    int called = 0;
    loop.watch(pipe.read_end.get(), POLLIN, [&](short) { ++called; });
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::syscall(SYS_close_range, 0, ~0U, 0);
      ::_exit(0);
    }
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    REQUIRE(::write(pipe.write_end.get(), "x", 1) == 1);
    run_one_round(loop);
    CHECK(called == 1);
  }

  TEST_CASE("a child that closes all it has makes a loop of its own") {
    EventLoop loop;
    const UniqueFd event = make_event(1);
    loop.watch(event.get(), POLLIN, [](short) {});
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      ::syscall(SYS_close_range, 3, ~0U, 0);
      bool told = false;
      EventLoop own;
      const UniqueFd ready(::eventfd(1, EFD_CLOEXEC));
      own.watch(ready.get(), POLLIN, [&](short) { told = true; });
      own.after(kDeadlineUsec, [] { ::_exit(1); });
      ::_exit(own.run_until([&] { return told; }) ? 0 : 1);
    }
    int status = -1;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }

  TEST_CASE("no program that is started gets the loop's descriptor, and none is left of it") {
    const std::vector<int> before = find_epolls();
    {
      const EventLoop loop;
      std::vector<int> found = find_epolls();
      std::erase_if(found, [&](int fd) { return std::count(before.begin(), before.end(), fd) > 0; });
      REQUIRE(found.size() == 1);
      CHECK((::fcntl(found[0], F_GETFD) & FD_CLOEXEC) != 0);
    }
    CHECK(find_epolls() == before);
  }

  TEST_CASE("two thousand idle descriptors and as many timers do not make an event dearer") {
    constexpr int kRounds = 2'000;
    constexpr std::size_t kIdle = 2'000;
    rlimit limit{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = std::max<rlim_t>(limit.rlim_cur, kIdle + 200);
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EventLoop loop;
    const UniqueFd event = make_event(1);
    int left = 0;
    loop.watch(event.get(), POLLIN, [&](short) { --left; });
    const auto cost = [&] {
      std::uint64_t least = UINT64_MAX;
      for (int run = 0; run < 5; ++run) {
        left = kRounds;
        const std::uint64_t begun = cpu_usec();
        run_until(loop, [&] { return left <= 0; });
        least = std::min(least, cpu_usec() - begun);
      }
      return least;
    };
    const std::uint64_t alone = cost();
    std::vector<UniqueFd> idle;
    for (std::size_t count = 0; count < kIdle; ++count) {
      idle.push_back(make_event(0));
      loop.watch(idle.back().get(), POLLIN, [](short) {});
      loop.after(1'000'000'000 + count, [] {});
    }
    // poll(2) takes some fifty times as long here.
    CHECK(cost() < 5 * alone + 1'000);
    for (const UniqueFd& fd : idle) loop.forget(fd.get());
  }
}

}  // namespace agentctl
