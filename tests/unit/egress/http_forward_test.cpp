// SPDX-License-Identifier: Apache-2.0
#include "egress/http_forward.h"

#include "base/text.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

HttpHead head(std::string_view bytes, HttpRole role = HttpRole::proxy) {
  HttpHeadReader reader(role);
  (void)reader.feed(bytes);
  REQUIRE(reader.state() == HttpHeadReader::State::done);
  return reader.head();
}

TEST_SUITE("http_forward") {
  TEST_CASE("the origin is sent a head of our own, with the host that was judged") {
    CHECK_EQ(origin_head(head("GET HTTP://Example.COM.:80/x?y HTTP/1.1\r\nUser-Agent: "
                              "curl\r\nhOST:example.com\r\nAccept:  */* \r\n\r\n")),
             "GET /x?y HTTP/1.1\r\nHost: example.com\r\nUser-Agent: curl\r\nAccept: */*\r\nConnection: close\r\n\r\n");
    CHECK_EQ(origin_head(head("GET / HTTP/1.1\r\nHost: [2001:db8::7]:8080\r\n\r\n", HttpRole::origin)),
             "GET / HTTP/1.1\r\nHost: [2001:db8::7]:8080\r\nConnection: close\r\n\r\n");
    CHECK_EQ(origin_head(head("GET http://example.com/ HTTP/1.0\r\n\r\n")),
             "GET / HTTP/1.0\r\nHost: example.com\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("what is for one hop stays behind, also what Connection names") {
    CHECK_EQ(
        origin_head(head("GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nConnection: keep-alive, X-Mine\r\n"
                         "Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\n"
                         "proxy-anything: 1\r\nTE: trailers\r\nTrailer: X\r\nX-Mine: 1\r\nUpgrade: h2c\r\n"
                         "HTTP2-Settings: AAA\r\nConnection: X-Other\r\nx-other: 2\r\nX-Kept: 3\r\n\r\n")),
        "GET / HTTP/1.1\r\nHost: example.com\r\nX-Kept: 3\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("only Connection names what stays behind") {
    CHECK_EQ(
        origin_head(head("GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\nX: Accept\r\nAccept: y\r\n\r\n")),
        "GET / HTTP/1.1\r\nHost: example.com\r\nX: Accept\r\nAccept: y\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("Connection cannot take the host or the length away") {
    CHECK_EQ(origin_head(head("POST http://example.com/ HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\n"
                              "Connection: Host, Content-Length\r\n\r\n")),
             "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 5\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("a body's length goes on as it was read") {
    const auto sent = [](std::string_view line) {
      return origin_head(head(cat("POST http://example.com/ HTTP/1.1\r\nHost: example.com\r\n", line, "\r\n\r\n")));
    };
    CHECK_EQ(sent("Transfer-Encoding: CHUNKED"),
             "POST / HTTP/1.1\r\nHost: example.com\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    CHECK_EQ(sent("Content-Length: 007"),
             "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 7\r\nConnection: close\r\n\r\n");
    CHECK_EQ(sent("Content-Length: 0"),
             "POST / HTTP/1.1\r\nHost: example.com\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  }

  TEST_CASE("a websocket is asked for by us") {
    CHECK_EQ(
        origin_head(head(
            "GET http://example.com/s HTTP/1.1\r\nHost: example.com\r\nConnection: x, upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Key: abc\r\nx: y\r\n\r\n")),
        "GET /s HTTP/1.1\r\nHost: example.com\r\nSec-WebSocket-Key: abc\r\nConnection: Upgrade\r\nUpgrade: "
        "websocket\r\n\r\n");
  }

  TEST_CASE("what was forwarded is read again as the same request") {
    const HttpHead first = head(
        "PUT http://example.com:8080/a?b HTTP/1.1\r\nHost: example.com:8080\r\nX: y\r\nContent-Length: 12\r\n\r\n");
    const HttpHead again = head(origin_head(first), HttpRole::origin);
    CHECK(again.endpoint == first.endpoint);
    CHECK_EQ(again.path, first.path);
    CHECK_EQ(again.framing.length, first.framing.length);
    CHECK(head(proxied_head(first, {})).endpoint == first.endpoint);
  }

  TEST_CASE("a company's proxy is asked for the whole URL, with the login that stays outside") {
    const HttpHead asked =
        head("GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\nProxy-Authorization: Basic mine\r\n\r\n");
    CHECK_EQ(proxied_head(asked, {"Basic dTpw"}),
             "GET http://example.com/x HTTP/1.1\r\nHost: example.com\r\nProxy-Authorization: Basic dTpw\r\nConnection: "
             "close\r\n\r\n");
    CHECK_EQ(connect_head(endpoint("example.com:443"), {"Basic dTpw"}),
             "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
    CHECK_EQ(connect_head(endpoint("[2001:db8::7]:22"), {}),
             "CONNECT [2001:db8::7]:22 HTTP/1.1\r\nHost: [2001:db8::7]:22\r\n\r\n");
  }
}

}  // namespace
}  // namespace agentctl::egress
