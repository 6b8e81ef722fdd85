// SPDX-License-Identifier: Apache-2.0
#include "egress/net_event.h"

#include "base/text.h"
#include "egress/denial_limiter.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

NetEvent denied(std::string_view host, Reason reason = Reason::no_rule) {
  NetEvent event;
  event.protocol = Protocol::socks5;
  event.denial = refusal(reason, "no rule allows it");
  event.host = host;
  event.port = 443;
  return event;
}

constexpr std::uint64_t kSecond = 1'000'000;

TEST_SUITE("net_event") {
  TEST_CASE("a line tells who was reached, by which rule, and how much went over") {
    NetEvent event;
    event.time_usec = 1796040000000000;
    event.host = "example.com";
    event.port = 443;
    event.rule = "'example.com' (policy.toml:3:9)";
    event.address = address("93.184.216.34");
    event.bytes_up = 517;
    event.bytes_down = 1ULL << 33;
    event.duration_usec = 2500;
    CHECK_EQ(
        log_line(event),
        R"({"time_usec":1796040000000000,"verdict":"allowed","reason":null,"protocol":"connect","host":"example.com","port":443,)"
        R"X("rule":"'example.com' (policy.toml:3:9)","address":"93.184.216.34","bytes_up":517,"bytes_down":8589934592,)X"
        R"("duration_usec":2500,"count":1,"detail":null,"allow":null})"
        "\n");
  }

  TEST_CASE("a denial tells why, and a failure is none") {
    NetEvent event = denied("evil.example");
    event.denial->allow = "evil.example";
    CHECK_EQ(
        log_line(event),
        R"({"time_usec":0,"verdict":"denied","reason":"no-rule","protocol":"socks5","host":"evil.example","port":443,"rule":null,)"
        R"("address":null,"bytes_up":0,"bytes_down":0,"duration_usec":0,"count":1,"detail":"no rule allows it","allow":"evil.example"})"
        "\n");
    CHECK_NE(log_line(denied("example.com", Reason::unreachable)).find(R"("verdict":"failed","reason":"unreachable")"),
             std::string::npos);
  }

  TEST_CASE("no byte of a denial leaves its line") {
    NetEvent event = denied("a\nb\"\x1b\xe2\x80\xae\xff");
    event.port.reset();
    const std::string line = log_line(event);
    CHECK_EQ(line.find_first_of("\n\x1b"), line.size() - 1);
    CHECK_EQ(line.find('\xff'), std::string::npos);
    CHECK_NE(line.find(R"("port":null)"), std::string::npos);
  }

  TEST_CASE("the same denial is told once, then with its number when ten seconds are over") {
    DenialLimiter limiter;
    CHECK(limiter.admit(denied("evil.example"), 0).has_value());
    for (int i = 1; i <= 999; ++i) CHECK_FALSE(limiter.admit(denied("evil.example"), kSecond).has_value());
    CHECK_EQ(limiter.due_usec(), 10 * kSecond);
    CHECK(limiter.take_due(10 * kSecond - 1).empty());
    const auto due = limiter.take_due(10 * kSecond);
    REQUIRE_EQ(due.size(), 1);
    CHECK_EQ(due[0].count, 999);
    CHECK_FALSE(limiter.due_usec().has_value());
    CHECK_FALSE(limiter.admit(denied("evil.example"), 19 * kSecond).has_value());
    const auto late = limiter.admit(denied("evil.example"), 20 * kSecond);
    REQUIRE(late.has_value());
    CHECK_EQ(late->count, 2);
  }

  TEST_CASE("denials that differ in host, port, reason or protocol are told each") {
    DenialLimiter limiter;
    NetEvent other_port = denied("a.example");
    other_port.port = 22;
    NetEvent other_protocol = denied("a.example");
    other_protocol.protocol = Protocol::dns;
    for (const NetEvent& event : {denied("a.example"), denied("b.example"), other_port, other_protocol,
                                  denied("a.example", Reason::deny_rule)}) {
      CHECK(limiter.admit(event, 0).has_value());
    }
  }

  TEST_CASE("what is held back is not lost at the end") {
    DenialLimiter limiter;
    for (int i = 0; i < 3; ++i) (void)limiter.admit(denied("a.example"), 0);
    const auto all = limiter.take_all();
    REQUIRE_EQ(all.size(), 1);
    CHECK_EQ(all[0].count, 2);
    CHECK(limiter.take_all().empty());
  }

  TEST_CASE("of very many hosts not each is told, but how many, and later they are told apart again") {
    DenialLimiter limiter;
    std::size_t told = 0;
    for (int i = 0; i < 30000; ++i) told += limiter.admit(denied(cat("n", i, ".example")), 0).has_value() ? 1 : 0;
    CHECK_LE(told, 300);
    const auto due = limiter.take_due(11 * kSecond);
    REQUIRE_EQ(due.size(), 1);
    CHECK_EQ(due[0].host, "");
    CHECK_GE(due[0].count, 29000);
    CHECK_EQ(due[0].denial->detail, "of many hosts at once");
    const auto later = limiter.admit(denied("new.example"), 22 * kSecond);
    REQUIRE(later.has_value());
    CHECK_EQ(later->host, "new.example");
    CHECK_FALSE(limiter.admit(denied("new.example"), 22 * kSecond).has_value());
  }
}

}  // namespace
}  // namespace agentctl::egress
