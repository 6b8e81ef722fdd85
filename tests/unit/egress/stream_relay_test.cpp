// SPDX-License-Identifier: Apache-2.0
#include "egress/stream_relay.h"

#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "tests/unit/egress/relayed_pair.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
constexpr Speech kNothing = {kFar, 0, false};

Speech near_says(std::uint64_t size, bool ends = true) { return {kNear, size, ends}; }
Speech far_says(std::uint64_t size, bool ends = true) { return {kFar, size, ends}; }

void check_all_heard(const RelayedPair& pair, std::uint64_t from_near, std::uint64_t from_far) {
  CHECK(pair.far->heard() == from_near);
  CHECK(pair.near->heard() == from_far);
  CHECK_FALSE(pair.far->heard_other());
  CHECK_FALSE(pair.near->heard_other());
}

// A hundred megabytes in small gulps, the gulps of the two being different.
void relay_much(RelayStart start) {
  EventLoop loop;
  RelayedPair pair(loop, near_says(100 * kMega), far_says(100 * kMega), std::move(start));
  pair.near->read_at_most(20'011);
  pair.far->read_at_most(9'973);
  pair.run_until_ended();
  CHECK(*pair.end == RelayEnd::over);
  CHECK(pair.relay->bytes_out() == 100 * kMega);
  CHECK(pair.relay->bytes_in() == 100 * kMega);
  pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
  check_all_heard(pair, 100 * kMega, 100 * kMega);
}

}  // namespace

TEST_SUITE("stream_relay: what is said") {
  TEST_CASE("what each side says reaches the other whole, and is counted") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(70'001), far_says(3));
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 70'001);
    CHECK(pair.relay->bytes_in() == 3);
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    check_all_heard(pair, 70'001, 3);
  }

  TEST_CASE("a hundred megabytes go both ways at once to slow readers, by copying") { relay_much({}); }

  TEST_CASE("a hundred megabytes go both ways at once to slow readers, by splicing") {
    SplicePipes pipes;
    relay_much({.pipes = &pipes});
  }

  TEST_CASE("a reader that does not read holds the speaker up, and memory stays bounded") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(1'000 * kMega), kNothing);
    const int small = 16'384;
    REQUIRE(::setsockopt(pair.far->fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small) == 0);
    pair.far->read_at_most(0);
    (void)voice_bytes(0, 0);  // makes all there will be
    const auto before = ::mallinfo2().uordblks;
    pair.run_until_still();
    CHECK_FALSE(pair.near->has_said_all());  // the kernel takes some megabytes
    CHECK(::mallinfo2().uordblks < before + 200'000);
    pair.far->read_at_most(65'536);
    pair.run_until([&] { return pair.far->heard() > 100 * kMega; });
    CHECK_FALSE(pair.far->heard_other());
  }

  TEST_CASE("each side is told something first") {
    EventLoop loop;
    const std::string to_far = "\x16\x03\x01 a hello that was read before";
    const std::string to_near = "HTTP/1.1 200 Connection established\r\n\r\n";
    RelayedPair pair(loop, near_says(1'000), far_says(2'000), {.to_far = to_far, .to_near = to_near});
    pair.far->expect(to_far);
    pair.near->expect(to_near);
    pair.run_until_ended();
    CHECK(pair.relay->bytes_out() == to_far.size() + 1'000);
    CHECK(pair.relay->bytes_in() == to_near.size() + 2'000);
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    check_all_heard(pair, to_far.size() + 1'000, to_near.size() + 2'000);
  }

  TEST_CASE("first words that are more than a socket takes come before the rest all the same") {
    EventLoop loop;
    const std::string words = said_by(9, 12 * kMega);
    RelayedPair pair(loop, near_says(5'000), far_says(5'000), {.to_far = words});
    pair.far->expect(words);
    pair.far->read_at_most(10'000);
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    check_all_heard(pair, words.size() + 5'000, 5'000);
  }
}

TEST_SUITE("stream_relay: ends") {
  TEST_CASE("the near side's end is passed on alone, and the far side says what it has to say") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(10), {kFar, 0, false});
    pair.run_until([&] { return pair.far->heard_end(); });
    CHECK(pair.relay->near_has_ended());
    CHECK_FALSE(pair.end);
    pair.far->say(far_says(3 * kMega));
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    pair.run_until([&] { return pair.near->heard_end(); });
    check_all_heard(pair, 10, 3 * kMega);
  }

  TEST_CASE("the far side's end is passed on alone, and the near side says what it has to say") {
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 0, false}, far_says(10));
    pair.run_until([&] { return pair.near->heard_end(); });
    CHECK_FALSE(pair.relay->near_has_ended());
    CHECK_FALSE(pair.end);
    pair.near->say(near_says(3 * kMega));
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    pair.run_until([&] { return pair.far->heard_end(); });
    check_all_heard(pair, 3 * kMega, 10);
  }

  TEST_CASE("what one said before it was gone reaches the other") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(300'000, false), kNothing, {}, Transport::local);
    pair.far->read_at_most(0);  // more than the far socket and the relay hold
    pair.run_until([&] { return pair.near->has_said_all(); });
    pair.near->close();
    pair.far->read_at_most(1'000);
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 300'000);
    pair.relay.reset();
    pair.run_until([&] { return pair.far->heard_end(); });
    check_all_heard(pair, 300'000, 0);
  }

  TEST_CASE("a side that is gone ends the connection, though the other has not ended") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(5, false), far_says(5, false), {}, Transport::local);
    pair.run_until([&] { return pair.near->heard() == 5 && pair.far->heard() == 5; });
    pair.far->close();
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
  }

  TEST_CASE("a connection that either side resets is broken") {
    for (const bool is_near : {true, false}) {
      EventLoop loop;
      RelayedPair pair(loop, near_says(5, false), far_says(5, false));
      pair.run_until([&] { return pair.near->heard() == 5 && pair.far->heard() == 5; });
      (is_near ? pair.near : pair.far)->reset();
      pair.run_until_ended();
      CHECK(*pair.end == RelayEnd::broken);
      pair.relay.reset();
      const Talker& other = is_near ? *pair.far : *pair.near;
      pair.run_until([&] { return other.heard_end() || other.heard_reset(); });
    }
  }

  TEST_CASE("a connection that is reset while much is on the way is broken, and ends once") {
    for (const bool with_pipes : {true, false}) {
      EventLoop loop;
      SplicePipes pipes;
      RelayedPair pair(loop, near_says(1'000 * kMega), far_says(1'000 * kMega),
                       {.pipes = with_pipes ? &pipes : nullptr});
      pair.run_until([&] { return pair.far->heard() > 4 * kMega && pair.near->heard() > 4 * kMega; });
      CHECK_FALSE(pair.far->heard_other());
      pair.far->reset();
      pair.run_until_ended();
      CHECK(*pair.end == RelayEnd::broken);
    }
  }

  TEST_CASE("whoever is told of the end may destroy the relay, and nobody is told afterwards") {
    EventLoop loop;
    ConnectedPair at_near = connect_unix();
    ConnectedPair at_far = connect_unix();
    int told = 0;
    std::unique_ptr<StreamRelay> relay;
    relay = std::make_unique<StreamRelay>(loop, std::move(at_near.second), std::move(at_far.first), [&](RelayEnd) {
      ++told;
      relay.reset();
    });
    at_near.first.reset();
    at_far.second.reset();
    bool is_over = false;
    loop.after(30'000, [&] { is_over = true; });
    REQUIRE(loop.run_until([&] { return is_over; }));
    CHECK(told == 1);
    CHECK(relay == nullptr);
  }

  TEST_CASE("a relay that is destroyed leaves nothing in the loop, and both sides see the end") {
    EventLoop loop;
    RelayedPair pair(loop, near_says(1'000 * kMega), far_says(1'000 * kMega));
    pair.run_until([&] { return pair.far->heard() > kMega; });
    pair.relay.reset();
    pair.run_until([&] { return pair.near->heard_end() || pair.near->heard_reset(); });
    pair.run_until([&] { return pair.far->heard_end() || pair.far->heard_reset(); });
    CHECK_FALSE(pair.end);
  }
}

TEST_SUITE("stream_relay: without a connection") {
  TEST_CASE("where nobody listens the near side comes back untouched, with the reason") {
    EventLoop loop;
    ConnectedPair near = connect_unix();
    REQUIRE(::write(near.first.get(), "GET", 3) == 3);
    std::optional<RelayEnd> end;
    StreamRelay relay(loop, std::move(near.second), begin_refused_connect(), [&](RelayEnd how) { end = how; },
                      {.to_far = "first", .to_near = "HTTP/1.1 200 OK\r\n\r\n"});
    REQUIRE(loop.run_until([&] { return end.has_value(); }));
    CHECK(*end == RelayEnd::no_connection);
    CHECK(relay.connect_error() == ECONNREFUSED);
    CHECK(relay.bytes_out() == 0);
    CHECK(relay.bytes_in() == 0);
    const UniqueFd back = relay.take_near();
    char text[16];
    CHECK(::read(back.get(), text, sizeof text) == 3);
    pollfd told{near.first.get(), POLLIN, 0};
    CHECK(::poll(&told, 1, 0) == 0);
  }

  TEST_CASE("another relay may try with the same near side") {
    EventLoop loop;
    ConnectedPair near = connect_unix();
    ConnectedPair far = connect_unix();
    REQUIRE(::write(near.first.get(), "GET", 3) == 3);
    std::unique_ptr<StreamRelay> second;
    std::unique_ptr<StreamRelay> first;
    first = std::make_unique<StreamRelay>(loop, std::move(near.second), begin_refused_connect(), [&](RelayEnd) {
      second = std::make_unique<StreamRelay>(loop, first->take_near(), std::move(far.first), [](RelayEnd) {});
      first.reset();
    });
    pollfd told{far.second.get(), POLLIN, 0};
    REQUIRE(loop.run_until([&] { return ::poll(&told, 1, 0) == 1; }));
    char text[16];
    CHECK(::read(far.second.get(), text, sizeof text) == 3);
  }
}

}  // namespace agentctl::egress
