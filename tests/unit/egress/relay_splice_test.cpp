// SPDX-License-Identifier: Apache-2.0
#include "egress/relay_way.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/unit/egress/relayed_pair.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr Speech kNothing = {kFar, 0, false};

// Bytes that wait in pipes of this process.
std::uint64_t in_pipes(const NewPipes& pipes) {
  std::uint64_t sum = 0;
  for (const int fd : pipes.list()) {
    int bytes = 0;
    if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY && ::ioctl(fd, FIONREAD, &bytes) == 0) {
      sum += static_cast<std::uint64_t>(bytes);
    }
  }
  return sum;
}

// No descriptor more than there is, while this lives.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const UniqueFd next(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    const rlimit none{static_cast<rlim_t>(next.get()), before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  }
  ~NoMoreDescriptors() { (void)::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_SUITE("relay_way: splicing") {
  TEST_CASE("little is copied, and no pipe is made for it") {
    const NewPipes opened;
    EventLoop loop;
    SplicePipes pipes;
    RelayedPair pair(loop, {kNear, 200'000, true}, {kFar, 200'000, true}, {.pipes = &pipes});
    pair.run_until_ended();
    CHECK(pair.relay->bytes_out() == 200'000);
    CHECK(opened.list().empty());
  }

  TEST_CASE("much waits in a pipe and not in this process, where the reader does not read") {
    const NewPipes opened;
    EventLoop loop;
    SplicePipes pipes;
    RelayedPair pair(loop, {kNear, 300 * kMega, true}, kNothing, {.pipes = &pipes});
    pair.far->read_at_most(0);
    pair.run_until_still();
    CHECK(opened.list().size() == 2);
    CHECK(in_pipes(opened) > 0);
    pair.far->read_at_most(65'536);
    pair.run_until([&] { return pair.far->heard_end(); });
    CHECK(pair.far->heard() == 300 * kMega);
    CHECK_FALSE(pair.far->heard_other());
    CHECK(pair.relay->bytes_out() == 300 * kMega);
    CHECK(in_pipes(opened) == 0);
    CHECK(opened.list().size() <= 2);
  }

  TEST_CASE("one pipe serves many that flow, one after the other") {
    const NewPipes opened;
    EventLoop loop;
    SplicePipes pipes;
    std::vector<std::unique_ptr<RelayedPair>> pairs;
    for (int count = 0; count < 20; ++count) {
      pairs.push_back(std::make_unique<RelayedPair>(loop, Speech{kNear, 2 * kMega, true}, Speech{kFar, 2 * kMega, true},
                                                    RelayStart{.pipes = &pipes}));
    }
    for (const auto& pair : pairs) {
      pair->run_until([&] { return pair->near->heard_end() && pair->far->heard_end(); });
      CHECK(pair->far->heard() == 2 * kMega);
      CHECK_FALSE(pair->far->heard_other());
      CHECK_FALSE(pair->near->heard_other());
    }
    CHECK_FALSE(opened.list().empty());
    CHECK(opened.list().size() <= 8);
    CHECK(in_pipes(opened) == 0);
  }

  TEST_CASE("where no pipe can be made all is copied, and arrives") {
    const NewPipes opened;
    EventLoop loop;
    SplicePipes pipes;
    RelayedPair pair(loop, {kNear, 20 * kMega, true}, {kFar, 20 * kMega, true}, {.pipes = &pipes});
    {
      const NoMoreDescriptors limit;
      pair.run_until([&] { return pair.near->heard() > 19 * kMega && pair.far->heard() > 19 * kMega; });
    }
    CHECK(opened.list().empty());
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    CHECK_FALSE(pair.near->heard_other());
    CHECK_FALSE(pair.far->heard_other());
    CHECK(pair.relay->bytes_out() == 20 * kMega);
    CHECK(pair.relay->bytes_in() == 20 * kMega);
  }

  TEST_CASE("what is left in a pipe of one connection never reaches another") {
    const NewPipes opened;
    EventLoop loop;
    SplicePipes pipes;
    {
      RelayedPair pair(loop, {3, 300 * kMega, true}, kNothing, {.pipes = &pipes});
      pair.far->read_at_most(0);
      pair.run_until_still();
      CHECK(in_pipes(opened) > 0);
      pair.relay.reset();
      CHECK(in_pipes(opened) == 0);
      CHECK(opened.list().empty());
    }
    RelayedPair pair(loop, {kNear, 2 * kMega, true}, {kFar, 2 * kMega, true}, {.pipes = &pipes});
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    CHECK_FALSE(pair.near->heard_other());
    CHECK_FALSE(pair.far->heard_other());
  }

  TEST_CASE("what waits in a pipe when its speaker is gone reaches the other") {
    EventLoop loop;
    SplicePipes pipes;
    RelayedPair pair(loop, {kNear, 3 * kMega, false}, kNothing, {.pipes = &pipes}, Transport::local);
    pair.run_until([&] { return pair.far->heard() > 2 * kMega; });
    pair.far->read_at_most(0);
    pair.run_until_still();
    pair.far->read_at_most(1'000);
    pair.run_until([&] { return pair.near->has_said_all(); });
    pair.near->close();
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 3 * kMega);
    pair.relay.reset();
    pair.run_until([&] { return pair.far->heard_end(); });
    CHECK(pair.far->heard() == 3 * kMega);
    CHECK_FALSE(pair.far->heard_other());
  }

  TEST_CASE("a half that has ended is passed on after what was spliced, and the other goes on") {
    EventLoop loop;
    SplicePipes pipes;
    RelayedPair pair(loop, {kNear, 5 * kMega, true}, {kFar, 5 * kMega, false}, {.pipes = &pipes});
    pair.run_until([&] { return pair.far->heard_end() && pair.near->heard() == 5 * kMega; });
    CHECK(pair.far->heard() == 5 * kMega);
    CHECK_FALSE(pair.end);
    pair.near->expect(said_by(kFar, 5 * kMega));
    pair.far->say({kFar, 5 * kMega, true});
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    pair.run_until([&] { return pair.near->heard_end(); });
    CHECK(pair.near->heard() == 10 * kMega);
    CHECK_FALSE(pair.near->heard_other());
  }
}

TEST_SUITE("splice_pipes") {
  TEST_CASE("a pipe is as large as it may be, waits for nobody and reaches no program") {
    SplicePipes pipes;
    const auto pipe = pipes.take();
    REQUIRE(pipe);
    CHECK(pipe->size >= 65'536);
    CHECK(pipe->filled == 0);
    for (const UniqueFd* end : {&pipe->read_end, &pipe->write_end}) {
      CHECK(::fcntl(end->get(), F_GETPIPE_SZ) == static_cast<int>(pipe->size));
      CHECK((::fcntl(end->get(), F_GETFL) & O_NONBLOCK) != 0);
      CHECK((::fcntl(end->get(), F_GETFD) & FD_CLOEXEC) != 0);
    }
  }

  TEST_CASE("an empty pipe is given out again") {
    SplicePipes pipes;
    auto pipe = pipes.take();
    REQUIRE(pipe);
    const int number = pipe->read_end.get();
    pipes.give_back(std::move(*pipe));
    const auto again = pipes.take();
    REQUIRE(again);
    CHECK(again->read_end.get() == number);
  }

  TEST_CASE("a pipe that is not empty is closed, and few are kept") {
    const NewPipes opened;
    SplicePipes pipes;
    auto filled = pipes.take();
    REQUIRE(filled);
    filled->filled = static_cast<std::size_t>(::write(filled->write_end.get(), "secret", 6));
    pipes.give_back(std::move(*filled));
    CHECK(opened.list().empty());
    std::vector<SplicePipe> taken;
    for (int count = 0; count < 10; ++count) taken.push_back(std::move(*pipes.take()));
    CHECK(opened.list().size() == 20);
    for (SplicePipe& pipe : taken) pipes.give_back(std::move(pipe));
    CHECK(opened.list().size() == 8);
  }

  TEST_CASE("there are not too many at once, and none leaks") {
    const NewPipes opened;
    {
      SplicePipes pipes;
      std::vector<SplicePipe> taken;
      while (auto pipe = pipes.take()) taken.push_back(std::move(*pipe));
      CHECK(taken.size() == 16);
      pipes.give_back(std::move(taken.back()));
      taken.pop_back();
      CHECK(pipes.take());
    }
    CHECK(opened.list().empty());
  }
}

}  // namespace agentctl::egress
