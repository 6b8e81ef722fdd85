// SPDX-License-Identifier: Apache-2.0
#include "egress/socks_handshake.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

const std::string kGreeting = "\x05\x01\x00"s;
const std::string kGreeted = "\x05\x00"s;

std::string named(std::string_view name, std::string_view port = {"\x01\xbb", 2}) {
  return cat("\x05\x01\x00\x03"s, static_cast<char>(name.size()), name, port);
}

struct Outcome {
  std::string told;    // the endpoint, or the code of the refusal, or "more"
  std::string answer;  // what the client is sent
  std::size_t used = 0;
};

Outcome shake(std::string_view bytes, std::size_t piece = 1000) {
  SocksHandshake handshake;
  Outcome outcome;
  while (outcome.used < bytes.size() && handshake.state() == SocksHandshake::State::more) {
    outcome.used += handshake.feed(bytes.substr(outcome.used, piece), outcome.answer);
  }
  switch (handshake.state()) {
    case SocksHandshake::State::more:
      outcome.told = "more";
      break;
    case SocksHandshake::State::asked:
      outcome.told = policy::to_string(handshake.endpoint());
      break;
    case SocksHandshake::State::refused:
      outcome.told = code(handshake.denial().reason);
      break;
  }
  if (handshake.state() != SocksHandshake::State::more) CHECK_EQ(handshake.feed("x", outcome.answer), 0);
  return outcome;
}

// A request behind a good greeting: what is told, and the code of the reply.
std::string request(std::string_view bytes) {
  const Outcome outcome = shake(kGreeting + std::string(bytes));
  REQUIRE(outcome.answer.starts_with(kGreeted));
  const std::string reply = outcome.answer.substr(2);
  return reply.empty() ? outcome.told : cat(outcome.told, " ", static_cast<int>(reply[1]));
}

TEST_SUITE("socks_handshake") {
  TEST_CASE("a name, an IPv4 and an IPv6 address can be asked for, in whatever pieces") {
    for (const std::size_t piece : {1U, 2U, 3U, 5U, 1000U}) {
      const Outcome outcome = shake(kGreeting + named("Example.COM.") + "early", piece);
      CHECK_EQ(outcome.told, "example.com:443");
      CHECK_EQ(outcome.answer, kGreeted);
      CHECK_EQ(outcome.used, kGreeting.size() + named("Example.COM.").size());
    }
    CHECK_EQ(request("\x05\x01\x00\x01\x5d\xb8\xd8\x22\x00\x50"s), "93.184.216.34:80");
    CHECK_EQ(request("\x05\x01\x00\x04\x20\x01\x0d\xb8"s + std::string(11, '\0') + "\x07\x00\x16"s),
             "[2001:db8::7]:22");
    CHECK_EQ(request(named("192.0.2.7")), "192.0.2.7:443");
  }

  TEST_CASE("an address in IPv6's disguise stays in it, to be judged") {
    CHECK_EQ(request("\x05\x01\x00\x04"s + std::string(10, '\0') + "\xff\xff\x7f\x00\x00\x01\x01\xbb"s),
             "[::ffff:127.0.0.1]:443");
  }

  TEST_CASE("a client that can do without a login gets none, and one that cannot is turned away") {
    CHECK_EQ(shake("\x05\x03\x02\x01\x00"s).answer, kGreeted);
    CHECK_EQ(shake("\x05\x02\x02\x01"s).told, "unsupported");
    CHECK_EQ(shake("\x05\x02\x02\x01"s).answer, "\x05\xff"s);
  }

  TEST_CASE("a greeting of no or of very many methods is refused") {
    CHECK_EQ(shake("\x05\x00"s).told, "malformed");
    CHECK_EQ(shake("\x05\x11"s + std::string(17, '\0')).told, "malformed");
    CHECK_EQ(shake("\x05\xff"s + std::string(255, '\0')).told, "malformed");
    CHECK_EQ(shake("\x05\x10"s + std::string(16, '\0')).told, "more");
  }

  TEST_CASE("SOCKS4, HTTP and TLS are no SOCKS5, which the first byte tells") {
    CHECK_EQ(shake("\x04\x01\x01\xbb\x00\x00\x00\x01user\0example.com\0"s).told, "unsupported");
    for (const std::string& bytes : {"GET / HTTP/1.1\r\n"s, "\x16\x03\x01"s, "\0"s, "\x06"s}) {
      const Outcome outcome = shake(bytes);
      CHECK_EQ(outcome.told, "malformed");
      CHECK_EQ(outcome.used, 1);
      CHECK_EQ(outcome.answer, "");
    }
    CHECK_EQ(shake(kGreeting + "\x04"s).told, "unsupported");
  }

  TEST_CASE("only CONNECT is offered") {
    CHECK_EQ(request("\x05\x02\x00\x01\x5d\xb8\xd8\x22\x00\x50"s), "unsupported 7");
    CHECK_EQ(request("\x05\x03\x00\x01\x00\x00\x00\x00\x00\x00"s), "unsupported 7");
    CHECK_EQ(request("\x05\x00\x00\x01\x5d\xb8\xd8\x22\x00\x50"s), "malformed 7");
    CHECK_EQ(request("\x05\xff\x00\x01\x5d\xb8\xd8\x22\x00\x50"s), "malformed 7");
  }

  TEST_CASE("a type of address that is none, a byte that is not 0 and no port are refused") {
    for (const char type : {'\x00', '\x02', '\x05', '\x09', '\xff'})
      CHECK_EQ(request("\x05\x01\x00"s + type + "\x01"), "malformed 8");
    CHECK_EQ(request("\x05\x01\x01\x01\x5d\xb8\xd8\x22\x00\x50"s), "malformed 1");
    CHECK_EQ(request("\x05\x01\x00\x01\x5d\xb8\xd8\x22\x00\x00"s), "malformed 1");
    CHECK_EQ(request(named("example.com", "\0\0"s)), "malformed 1");
  }

  TEST_CASE("a name that others could read differently is refused") {
    for (const std::string& name : {""s,
                                    "evil.net\0.example.com"s,
                                    "example.com\0"s,
                                    "\0example.com"s,
                                    "."s,
                                    "example.com.."s,
                                    "user@example.com"s,
                                    "example.com:443"s,
                                    "[::1]"s,
                                    "::1"s,
                                    "127.1"s,
                                    "0x7f000001"s,
                                    "2130706433"s,
                                    "0177.0.0.1"s,
                                    "example.com "s,
                                    "example.com%00"s,
                                    "ex\u00e4mple.com"s,
                                    "*.example.com"s,
                                    "a\r\nb"s,
                                    "http://example.com"s,
                                    std::string(254, 'a')}) {
      CAPTURE(name);
      CHECK_EQ(request(named(name)), "malformed 1");
    }
  }

  TEST_CASE("a reply tells nothing of the host's network") {
    CHECK_EQ(socks_reply(SocksReply::succeeded), "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"s);
    CHECK_EQ(socks_reply(SocksReply::not_allowed), "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"s);
    CHECK(reply_for(Reason::no_rule) == SocksReply::not_allowed);
    CHECK(reply_for(Reason::private_address) == SocksReply::not_allowed);
    CHECK(reply_for(Reason::unresolved) == SocksReply::host_unreachable);
    CHECK(reply_for(Reason::timed_out) == SocksReply::expired);
  }
}

}  // namespace
}  // namespace agentctl::egress
