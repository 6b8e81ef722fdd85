// SPDX-License-Identifier: Apache-2.0
#include "egress/stream_relay.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/egress/relayed_pair.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

std::uint64_t cpu_usec() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(used.tv_nsec) / 1'000;
}

void allow_descriptors(rlim_t count) {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = std::max(limit.rlim_cur, count);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

// One that waits for its sides to say something.
struct IdleRelay {
  ConnectedPair near = connect_unix();
  ConnectedPair far = connect_unix();
  StreamRelay relay;

  IdleRelay(EventLoop& loop, SplicePipes& pipes)
      : relay(loop, std::move(near.second), std::move(far.first), [](RelayEnd) {}, {.pipes = &pipes}) {}
};

// The least of some, so that others who use the machine do not count; one question and its answer at a time.
std::uint64_t cost_of_questions(EventLoop& loop, IdleRelay& asked) {
  constexpr int kQuestions = 500;
  std::uint64_t least = UINT64_MAX;
  for (int run = 0; run < 5; ++run) {
    int left = kQuestions;
    char byte = 'q';
    REQUIRE(::write(asked.near.first.get(), &byte, 1) == 1);
    const std::uint64_t begun = cpu_usec();
    REQUIRE(loop.run_until([&] {
      if (::read(asked.far.second.get(), &byte, 1) == 1) {
        REQUIRE(::write(asked.far.second.get(), &byte, 1) == 1);
      } else if (::read(asked.near.first.get(), &byte, 1) == 1 && --left > 0) {
        REQUIRE(::write(asked.near.first.get(), &byte, 1) == 1);
      }
      return left == 0;
    }));
    least = std::min(least, cpu_usec() - begun);
  }
  return least;
}

}  // namespace

TEST_SUITE("stream_relay: cost") {
  TEST_CASE("two thousand idle connections do not make an active one dearer") {
    constexpr std::size_t kIdle = 2'000;
    allow_descriptors(4 * kIdle + 100);
    EventLoop loop;
    SplicePipes pipes;
    IdleRelay asked(loop, pipes);
    const std::uint64_t alone = cost_of_questions(loop, asked);
    std::vector<std::unique_ptr<IdleRelay>> idle;
    while (idle.size() < kIdle) idle.push_back(std::make_unique<IdleRelay>(loop, pipes));
    (void)cost_of_questions(loop, asked);  // meanwhile they find out that they are connected
    CHECK(cost_of_questions(loop, asked) < 5 * alone + 1'000);
  }

  TEST_CASE("a connection that was busy and is idle holds no buffer") {
    constexpr std::size_t kMany = 50;
    allow_descriptors(1'000);
    EventLoop loop;
    SplicePipes pipes;
    std::vector<std::unique_ptr<RelayedPair>> pairs;
    (void)voice_bytes(0, 0);  // makes all there will be
    const auto before = ::mallinfo2().uordblks;
    while (pairs.size() < kMany) {
      pairs.push_back(std::make_unique<RelayedPair>(loop, Speech{kNear, kMega, false}, Speech{kFar, kMega, false},
                                                    RelayStart{.pipes = pairs.size() % 2 == 0 ? &pipes : nullptr}));
      pairs.back()->far->read_at_most(3'000);
    }
    for (const auto& pair : pairs) {
      pair->run_until([&] { return pair->near->heard() == kMega && pair->far->heard() == kMega; });
    }
    CHECK(::mallinfo2().uordblks < before + kMany * 8'000);
  }
}

}  // namespace agentctl::egress
