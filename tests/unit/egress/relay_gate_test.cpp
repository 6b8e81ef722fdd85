// SPDX-License-Identifier: Apache-2.0
#include "egress/relay_gate.h"

#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "egress/request_gate.h"
#include "tests/unit/egress/relayed_pair.h"

namespace agentctl::egress {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

// Lets so many bytes through and holds the rest; is over when the far side says something, and refuses beyond a limit.
class CountingGate final : public RelayGate {
 public:
  CountingGate(std::size_t lets_through, std::size_t refuses_beyond)
      : lets_through_(lets_through), refuses_beyond_(refuses_beyond) {}

  void pass(std::string_view from_near, std::string& to_far) override {
    held_ += from_near;
    seen_ += from_near.size();
    const std::size_t some = state_ == State::over ? held_.size() : std::min(lets_through_, held_.size());
    lets_through_ -= std::min(some, lets_through_);
    to_far += held_.substr(0, some);
    held_.erase(0, some);
    if (state_ == State::watching && seen_ > refuses_beyond_) state_ = State::refused;
  }
  void look_at_answer(std::string_view) override { state_ = State::over; }
  [[nodiscard]] bool looks_at_answer() const override { return state_ == State::watching; }
  [[nodiscard]] State state() const override { return state_; }
  [[nodiscard]] const Denial& denial() const override { return denial_; }

 private:
  std::size_t lets_through_;
  std::size_t refuses_beyond_;
  std::size_t seen_ = 0;
  std::string held_;
  State state_ = State::watching;
  Denial denial_ = refusal(Reason::too_large, "it is too much");
};

RelayStart gated(std::size_t lets_through, std::size_t refuses_beyond, SplicePipes* pipes = nullptr) {
  return {.gate = std::make_unique<CountingGate>(lets_through, refuses_beyond), .pipes = pipes};
}

void say(const Talker& talker, std::string_view words) {
  REQUIRE(::send(talker.fd(), words.data(), words.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(words.size()));
}

HttpHead websocket_request() {
  HttpHead head;
  head.wants_websocket = true;
  return head;
}

}  // namespace

TEST_SUITE("relay_gate: a relay that has one") {
  TEST_CASE("what a gate lets through reaches the far side, and what it holds back does not") {
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 5'000, false}, {kFar, 0, false}, gated(1'000, 100'000));
    pair.run_until([&] { return pair.near->has_said_all(); });
    pair.run_until_still();
    CHECK(pair.far->heard() == 1'000);
    CHECK_FALSE(pair.far->heard_other());
    CHECK_FALSE(pair.end);
  }

  TEST_CASE("a gate that refuses midway ends the connection, and the owner learns why") {
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 500 * kMega, false}, {kFar, 0, false}, gated(300'000, 2 * kMega));
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::refused);
    CHECK(explain(pair.relay->denial()).find("it is too much") != std::string::npos);
    pair.relay.reset();
    pair.run_until([&] { return pair.far->heard_end() || pair.far->heard_reset(); });
    CHECK(pair.far->heard() <= 300'000);
    CHECK_FALSE(pair.far->heard_other());
    pair.run_until([&] { return pair.near->heard_end() || pair.near->heard_reset(); });
    CHECK(pair.near->heard() == 0);
  }

  TEST_CASE("once a gate is over, what it held goes on, and all that follows") {
    const NewPipes pipes_now;
    SplicePipes pipes;
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 5'000, false}, {kFar, 0, false}, gated(1'000, 100'000, &pipes));
    pair.run_until([&] { return pair.far->heard() == 1'000; });
    pair.far->say({kFar, 10, false});
    pair.run_until([&] { return pair.far->heard() == 5'000; });
    CHECK(pair.near->heard() == 10);
    CHECK(pipes_now.list().empty());
    pair.near->expect(said_by(kFar, 10));
    pair.far->expect(said_by(kNear, 5'000));
    pair.near->say({kNear, 20 * kMega, true});
    pair.far->say({kFar, 20 * kMega, true});
    pair.run_until_ended();
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    CHECK_FALSE(pair.near->heard_other());
    CHECK_FALSE(pair.far->heard_other());
    CHECK(pair.relay->bytes_out() == 5'000 + 20 * kMega);
    CHECK(pair.relay->bytes_in() == 10 + 20 * kMega);
    CHECK_FALSE(pipes_now.list().empty());
  }

  TEST_CASE("what a gate holds of one who has ended never goes on, whatever is answered") {
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 5'000, true}, {kFar, 0, false}, gated(1'000, 100'000));
    pair.run_until([&] { return pair.far->heard_end(); });
    CHECK(pair.far->heard() == 1'000);
    pair.far->say({kFar, 100'000, true});
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 1'000);
    pair.run_until([&] { return pair.near->heard_end(); });
    CHECK(pair.near->heard() == 100'000);
  }

  TEST_CASE("a way that a gate looks at is never spliced") {
    const NewPipes pipes_now;
    SplicePipes pipes;
    EventLoop loop;
    RelayedPair pair(loop, {kNear, 20 * kMega, true}, {kFar, 0, true}, gated(50 * kMega, 50 * kMega, &pipes));
    pair.run_until_ended();
    pair.run_until([&] { return pair.far->heard_end(); });
    CHECK(pair.far->heard() == 20 * kMega);
    CHECK(pipes_now.list().empty());
  }

  TEST_CASE("the gate does not see the first words") {
    EventLoop loop;
    RelayStart start = gated(10, 1'000);
    start.to_far = "a hello";
    RelayedPair pair(loop, {kNear, 500, false}, {kFar, 0, false}, std::move(start));
    pair.far->expect("a hello");
    pair.run_until_still();
    CHECK(pair.far->heard() == 17);
    CHECK_FALSE(pair.far->heard_other());
  }
}

TEST_SUITE("relay_gate: HTTP over a relay") {
  TEST_CASE("a second request on the connection of the first does not reach the origin, while much is answered") {
    const NewPipes pipes_now;
    SplicePipes pipes;
    EventLoop loop;
    HttpHead head;
    head.framing = {HttpFraming::Kind::length, 4};
    RelayStart start{.to_far = "POST / HTTP/1.1\r\n\r\n", .gate = std::make_unique<RequestGate>(head), .pipes = &pipes};
    RelayedPair pair(loop, {kNear, 0, false}, {kFar, 20 * kMega, true}, std::move(start));
    pair.far->expect("POST / HTTP/1.1\r\n\r\nbody");
    say(*pair.near, "bodyGET http://evil.example/ HTTP/1.1\r\n\r\n");
    pair.run_until([&] { return pair.near->heard_end(); });
    CHECK(pair.near->heard() == 20 * kMega);
    CHECK(pair.far->heard() == 23);
    CHECK_FALSE(pair.far->heard_other());
    CHECK_FALSE(pipes_now.list().empty());  // the answer is nobody's to look at
    pair.near->say({kNear, 0, true});
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 23);
  }

  TEST_CASE("a websocket that the origin opens carries everything both ways") {
    EventLoop loop;
    const std::string answer = "HTTP/1.1 101 Switching Protocols\r\n\r\n";
    RelayedPair pair(loop, {kNear, 3'000, false}, {kFar, 0, false},
                     {.gate = std::make_unique<RequestGate>(websocket_request())});
    pair.run_until_still();
    CHECK(pair.far->heard() == 0);
    say(*pair.far, answer);
    pair.near->expect(answer);
    pair.run_until([&] { return pair.far->heard() == 3'000; });
    pair.near->say({kNear, 5 * kMega, true});
    pair.far->expect(said_by(kNear, 3'000));
    pair.far->say({kFar, 5 * kMega, true});
    pair.run_until_ended();
    pair.run_until([&] { return pair.near->heard_end() && pair.far->heard_end(); });
    CHECK_FALSE(pair.near->heard_other());
    CHECK_FALSE(pair.far->heard_other());
    CHECK(pair.relay->bytes_out() == 3'000 + 5 * kMega);
  }

  TEST_CASE("a websocket that the origin does not open carries nothing, and its answer reaches the client") {
    EventLoop loop;
    const std::string answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno";
    RelayedPair pair(loop, {kNear, 3'000, false}, {kFar, 0, false},
                     {.gate = std::make_unique<RequestGate>(websocket_request())});
    say(*pair.far, answer);
    pair.near->expect(answer);
    pair.run_until([&] { return pair.near->heard() == answer.size(); });
    pair.near->say({kNear, 200'000, true});
    pair.far->say({kFar, 0, true});
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::over);
    CHECK(pair.relay->bytes_out() == 0);
    CHECK_FALSE(pair.near->heard_other());
  }

  TEST_CASE("a body that is not in chunks as it was announced ends the connection") {
    EventLoop loop;
    HttpHead head;
    head.framing.kind = HttpFraming::Kind::chunked;
    RelayedPair pair(loop, {kNear, 0, false}, {kFar, 0, false}, {.gate = std::make_unique<RequestGate>(head)});
    pair.far->expect("3\r\nabc\r\n");
    say(*pair.near, "3\r\nabc\r\nzz\r\nGET http://evil.example/");
    pair.run_until_ended();
    CHECK(*pair.end == RelayEnd::refused);
    CHECK(pair.relay->denial().reason == Reason::malformed);
    pair.relay.reset();
    pair.run_until([&] { return pair.far->heard_end() || pair.far->heard_reset(); });
    CHECK(pair.far->heard() <= 8);
    CHECK_FALSE(pair.far->heard_other());
  }
}

}  // namespace agentctl::egress
