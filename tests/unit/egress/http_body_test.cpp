// SPDX-License-Identifier: Apache-2.0
#include "egress/http_body.h"

#include <doctest/doctest.h>

#include <string>

#include "base/text.h"

namespace agentctl::egress {
namespace {

constexpr HttpFraming kChunked = {HttpFraming::Kind::chunked, 0};

// How much of the bytes is the body, and in which state that leaves it; the same however they are cut.
std::string followed(const HttpFraming& framing, std::string_view bytes) {
  std::string first;
  for (std::size_t piece = 1; piece <= bytes.size() + 1; ++piece) {
    HttpBody body(framing);
    std::size_t used = 0;
    while (used < bytes.size() && body.state() == HttpBody::State::more) used += body.feed(bytes.substr(used, piece));
    const auto state = body.state();
    const std::string told = cat(used, state == HttpBody::State::done   ? " done"
                                       : state == HttpBody::State::more ? " more"
                                                                        : " refused");
    if (piece == 1) first = told;
    CHECK_EQ(told, first);
    if (state != HttpBody::State::more) CHECK_EQ(body.feed("x"), 0);
  }
  return first;
}

TEST_SUITE("http_body") {
  TEST_CASE("without a body the request ends with its head") {
    CHECK(HttpBody({}).state() == HttpBody::State::done);
    CHECK_EQ(followed({}, "GET"), "0 done");
  }

  TEST_CASE("a body with a length ends there, and what follows is none of it") {
    const HttpFraming five{HttpFraming::Kind::length, 5};
    CHECK_EQ(followed(five, "hello"), "5 done");
    CHECK_EQ(followed(five, "helloGET http://evil.example/"), "5 done");
    CHECK_EQ(followed(five, "hell"), "4 more");
  }

  TEST_CASE("a chunked body ends with the empty chunk") {
    CHECK_EQ(followed(kChunked, "0\r\n\r\n"), "5 done");
    CHECK_EQ(followed(kChunked, "5\r\nhello\r\n0\r\n\r\nGET http://evil.example/"), "15 done");
    CHECK_EQ(followed(kChunked, "A\r\n0\r\n\r\n01234\r\n00\r\n\r\n"), "21 done");
    CHECK_EQ(followed(kChunked, "00000000000000a\r\n0123456789\r\n0\r\n\r\n"), "34 done");
    CHECK_EQ(followed(kChunked, "5\r\nhello\r\n0\r\n"), "13 more");
    for (const auto& [digit, size] :
         {std::pair('9', 9U), std::pair('a', 10U), std::pair('A', 10U), std::pair('f', 15U), std::pair('F', 15U)}) {
      CHECK_EQ(followed(kChunked, cat(digit, "\r\n", std::string(size, 'x'), "\r\n0\r\n\r\n")),
               cat(size + 10, " done"));
    }
  }

  TEST_CASE("a chunk that others would frame differently is refused") {
    for (const std::string bytes :
         {"5;x=y\r\nhello\r\n", "5 \r\nhello\r\n", " 5\r\nhello\r\n", "5\nhello\n", "5\r\nhello\n", "5\r\nhelloX\r\n",
          "5\r\nhello0\r\n", "\r\n", "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-5\r\nhello\r\n", "g\r\n", "5\r\rhello",
          "0\r\nX: y\r\n\r\n", "0\r\n\n", "0\n\n", "fffffffffffffffff\r\n", "0000000000000005\r\nhello\r\n",
          "5\r\nhel\r\n0\r\n\r\n"}) {
      CAPTURE(bytes);
      CHECK_NE(followed(kChunked, bytes).find("refused"), std::string::npos);
    }
  }

  TEST_CASE("what goes on without a look is never more than the chunk or the length") {
    HttpBody body({HttpFraming::Kind::length, 1ULL << 40});
    CHECK_EQ(body.opaque(), 1ULL << 40);
    body.skip(1ULL << 39);
    CHECK_EQ(body.opaque(), 1ULL << 39);
    body.skip(1ULL << 39);
    CHECK(body.state() == HttpBody::State::done);

    HttpBody chunks(kChunked);
    CHECK_EQ(chunks.opaque(), 0);
    CHECK_EQ(chunks.feed("100000\r\n"), 8);
    CHECK_EQ(chunks.opaque(), 0x100000);
    chunks.skip(0xfffff);
    CHECK_EQ(chunks.feed("z\r\n0\r\n\r\nmore"), 8);
    CHECK(chunks.state() == HttpBody::State::done);
    CHECK_EQ(chunks.opaque(), 0);
  }
}

}  // namespace
}  // namespace agentctl::egress
