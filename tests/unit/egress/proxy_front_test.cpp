// SPDX-License-Identifier: Apache-2.0
#include "egress/proxy_front.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

const std::string kSocks = "\x05\x01\x00\x05\x01\x00\x03\x0b"s + "example.com" + "\x01\xbb"s;
constexpr std::string_view kConnect = "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n";
constexpr std::string_view kGet = "GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\n\r\n";

struct Read {
  ProxyFront front;
  std::string answer;
  std::size_t used = 0;
};

Read read(std::string_view bytes, std::size_t piece = 1000) {
  Read read;
  while (read.used < bytes.size() && read.front.state() == ProxyFront::State::more) {
    read.used += read.front.feed(bytes.substr(read.used, piece), read.answer);
  }
  return read;
}

std::string told(const Read& read) {
  if (read.front.state() == ProxyFront::State::more) return "more";
  if (read.front.state() == ProxyFront::State::refused) return cat("refused: ", code(read.front.denial().reason));
  return cat(to_string(read.front.protocol()), " ", policy::to_string(read.front.endpoint()),
             read.front.wants_tunnel() ? " by a tunnel" : "");
}

Denial denial() {
  return {.reason = Reason::no_rule,
          .asked = "example.com:443",
          .rule = {},
          .detail = "no rule allows it",
          .allow = "example.com"};
}

TEST_SUITE("proxy_front") {
  TEST_CASE("three ways of asking are told apart by the first byte, in whatever pieces") {
    for (const std::size_t piece : {1U, 3U, 1000U}) {
      CHECK_EQ(told(read(kSocks, piece)), "socks5 example.com:443 by a tunnel");
      CHECK_EQ(told(read(kConnect, piece)), "connect example.com:443 by a tunnel");
      CHECK_EQ(told(read(kGet, piece)), "http example.com:80");
    }
  }

  TEST_CASE("what comes after the question is left alone") {
    CHECK_EQ(read(kSocks + "early").used, kSocks.size());
    CHECK_EQ(read(std::string(kConnect) + "early").used, kConnect.size());
  }

  TEST_CASE("what is none of them is refused, TLS and SOCKS4 too") {
    CHECK_EQ(told(read("\x16\x03\x01\x00\x05hello\r\n\r\n"s)), "refused: malformed");
    CHECK_EQ(told(read("\x04\x01\x01\xbb\x5d\xb8\xd8\x22\x00"s)), "refused: unsupported");
    CHECK_EQ(told(read("GET /x HTTP/1.1\r\nHost: example.com\r\n\r\n")), "refused: malformed");
  }

  TEST_CASE("each hears in its own language that the tunnel is there, and that it is not") {
    CHECK_EQ(read(kSocks).front.acceptance(), "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00"s);
    CHECK_EQ(read(kSocks).front.rejection(denial(), "s"), "\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00"s);
    CHECK_EQ(read(kConnect).front.acceptance(), "HTTP/1.1 200 Connection established\r\n\r\n");
    const std::string answer = read(kConnect).front.rejection(denial(), "s");
    CHECK(answer.starts_with("HTTP/1.1 403 "));
    CHECK_NE(answer.find("agentctl allow s example.com"), std::string::npos);
  }

  TEST_CASE("a denied HEAD has no body") {
    const Read head = read("HEAD http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n");
    CHECK(head.front.rejection(denial(), "s").ends_with("\r\n\r\n"));
  }

  TEST_CASE("a handshake that went wrong was answered by itself") {
    const Read bind = read("\x05\x01\x00\x05\x02\x00\x03\x0b"s + "example.com" + "\x01\xbb"s);
    CHECK_EQ(told(bind), "refused: unsupported");
    CHECK_EQ(bind.answer, "\x05\x00\x05\x07\x00\x01\x00\x00\x00\x00\x00\x00"s);
    CHECK_EQ(bind.front.rejection(bind.front.denial(), "s"), "");
  }
}

}  // namespace
}  // namespace agentctl::egress
