// SPDX-License-Identifier: Apache-2.0
#include "egress/http_head.h"

#include <doctest/doctest.h>

#include <vector>

#include "base/text.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

HttpHeadReader fed(std::string_view bytes, HttpRole role = HttpRole::proxy) {
  HttpHeadReader reader(role);
  (void)reader.feed(bytes);
  return reader;
}

// "GET example.com:80 /x", or the code and words of the refusal, or "more".
std::string told(const HttpHeadReader& reader) {
  if (reader.state() == HttpHeadReader::State::more) return "more";
  if (reader.state() == HttpHeadReader::State::refused)
    return cat(code(reader.denial().reason), ": ", reader.denial().detail);
  const HttpHead& head = reader.head();
  return cat(head.method, " ", policy::to_string(*head.endpoint), head.path.empty() ? "" : " ", head.path);
}
std::string read(std::string_view bytes, HttpRole role = HttpRole::proxy) { return told(fed(bytes, role)); }

// A proxy's request for example.com with more lines in it.
std::string with(std::string_view lines, std::string_view method = "POST") {
  return cat(method, " http://example.com/ HTTP/1.1\r\nHost: example.com\r\n", lines, "\r\n");
}

bool is_refused(std::string_view bytes, HttpRole role = HttpRole::proxy) {
  return fed(bytes, role).state() == HttpHeadReader::State::refused;
}

TEST_SUITE("http_head") {
  TEST_CASE("a proxy is asked for a tunnel or for a URL, an origin for a path") {
    CHECK_EQ(read("CONNECT Example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"), "CONNECT example.com:443");
    CHECK_EQ(read("CONNECT [2001:db8::7]:22 HTTP/1.0\r\n\r\n"), "CONNECT [2001:db8::7]:22");
    CHECK_EQ(read("GET http://example.com/x?y=1 HTTP/1.1\r\nHost: example.com\r\n\r\n"), "GET example.com:80 /x?y=1");
    CHECK_EQ(read("GET HTTP://example.com:8080 HTTP/1.1\r\nHost: EXAMPLE.com.:8080\r\n\r\n"), "GET example.com:8080 /");
    CHECK_EQ(read("GET http://example.com?q HTTP/1.0\r\n\r\n"), "GET example.com:80 /?q");
    CHECK_EQ(read("GET /x HTTP/1.1\r\nHost: example.com\r\n\r\n", HttpRole::origin), "GET example.com:80 /x");
    CHECK_EQ(read("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", HttpRole::origin), "GET [::1]:8080 /");
    CHECK_EQ(read("PROPFIND http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n"), "PROPFIND example.com:80 /");
  }

  TEST_CASE("some clients leave the port out of the Host of a tunnel") {
    CHECK_EQ(read("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"), "CONNECT example.com:443");
  }

  TEST_CASE("however the bytes are cut, the head is the same and what follows it is left alone") {
    const std::string head = "POST http://example.com/ HTTP/1.1\r\nHost: example.com\r\nContent-Length: 3\r\n\r\n";
    for (std::size_t piece = 1; piece <= head.size(); ++piece) {
      HttpHeadReader reader(HttpRole::proxy);
      const std::string bytes = head + "abcGET http://evil.example/ HTTP/1.1\r\n";
      std::size_t used = 0;
      while (used < bytes.size() && reader.state() == HttpHeadReader::State::more) {
        const std::size_t taken = reader.feed(std::string_view(bytes).substr(used, piece));
        REQUIRE(taken > 0);
        used += taken;
      }
      CAPTURE(piece);
      CHECK_EQ(told(reader), "POST example.com:80 /");
      CHECK_EQ(used, head.size());
      CHECK_EQ(reader.feed("more"), 0);
    }
  }

  TEST_CASE("a head that is not there yet is waited for") {
    for (const std::string part : {"", "G", "GET http://example.com/ HTTP/1.1", "GET http://example.com/ HTTP/1.1\r\n",
                                   "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r"}) {
      CHECK_EQ(read(part), "more");
    }
  }

  TEST_CASE("a target that others could read differently is refused") {
    const std::vector<std::string> targets = {"http://user@example.com/",
                                              "http://allowed.com@evil/",
                                              "http://example.com:443:80/",
                                              "http://example.com:0443/",
                                              "http://example.com:/",
                                              "http://example.com:0/",
                                              "http://example.com:65536/",
                                              "http://example.com:+80/",
                                              "http:///",
                                              "http://",
                                              "http:/example.com/",
                                              "http:example.com",
                                              "http://example.com%00.x/",
                                              "http://example.com\\@evil/",
                                              "http://allowed.com#evil",
                                              "http://exa mple.com/",
                                              "http://127.1/",
                                              "http://2130706433/",
                                              "http://0x7f000001/",
                                              "http://[::1/",
                                              "http://[fe80::1%25lo]/",
                                              "http://example.com../",
                                              "http://.example.com/",
                                              "http://*.example.com/",
                                              "http://ex\u00e4mple.com/",
                                              "http://example\u3002com/",
                                              "http://example.com/\x7f",
                                              "http://example.com/\xff",
                                              "/",
                                              "*",
                                              "example.com:80",
                                              "//example.com/",
                                              "",
                                              "http://example.com/\tx",
                                              "http://example.com/\0x"s};
    for (const std::string& target : targets) {
      CAPTURE(target);
      CHECK(is_refused(cat("GET ", target, " HTTP/1.1\r\nHost: example.com\r\n\r\n")));
    }
  }

  TEST_CASE("a path alone is no business of a proxy's") {
    for (const std::string target : {"/", "/x", "*"}) {
      CHECK_EQ(read(cat("GET ", target, " HTTP/1.1\r\nHost: example.com\r\n\r\n")),
               "malformed: a proxy is asked for a whole URL");
    }
  }

  TEST_CASE("case counts for nothing in the names of fields") {
    CHECK(equals_ignoring_case("aZ-[@`{", "Az-[@`{"));
    CHECK_FALSE(equals_ignoring_case("@", "`"));
    CHECK_FALSE(equals_ignoring_case("[", "{"));
    CHECK_FALSE(equals_ignoring_case("a", "ab"));
  }

  TEST_CASE("other schemes are told what is spoken here") {
    for (const std::string target : {"ftp://example.com/", "file:///etc/passwd", "https://example.com/",
                                     "ws://example.com/", "gopher://example.com/"}) {
      CHECK_EQ(read(cat("GET ", target, " HTTP/1.1\r\nHost: example.com\r\n\r\n")),
               "unsupported: only http:// is fetched here; https goes by CONNECT");
    }
  }

  TEST_CASE("a tunnel needs a host and a port and nothing else") {
    for (const std::string target :
         {"example.com", "example.com:", "example.com:0", "example.com:https", "http://example.com:443",
          "example.com:443/", "/example.com:443", ":443", "user@example.com:443", "example.com:443@evil:80",
          "example.com:443:80", "::1:443", "[::1]", "127.1:443", "example.com:443#x", "example.com:443?x", "*:443"}) {
      CAPTURE(target);
      CHECK(is_refused(cat("CONNECT ", target, " HTTP/1.1\r\nHost: example.com:443\r\n\r\n")));
    }
  }

  TEST_CASE("a method is at most 32 letters long") {
    const auto asked = [](std::size_t size) { return read(with("", std::string(size, 'Z'))); };
    CHECK_EQ(asked(32), std::string(32, 'Z') + " example.com:80 /");
    CHECK_EQ(asked(33), "malformed: the method is no word in capitals");
  }

  TEST_CASE("an origin opens no tunnels and fetches no URLs") {
    for (const std::string line : {"CONNECT / HTTP/1.1", "CONNECT example.com:443 HTTP/1.1",
                                   "GET http://example.com/ HTTP/1.1", "OPTIONS * HTTP/1.1"}) {
      CAPTURE(line);
      CHECK(is_refused(line + "\r\nHost: example.com\r\n\r\n", HttpRole::origin));
    }
  }

  TEST_CASE("a first line that is no request of HTTP/1 is refused") {
    for (const std::string line : {"get http://example.com/ HTTP/1.1",
                                   "GET  http://example.com/ HTTP/1.1",
                                   "GET http://example.com/  HTTP/1.1",
                                   "GET\thttp://example.com/ HTTP/1.1",
                                   "GET http://example.com/",
                                   "GET",
                                   " GET http://example.com/ HTTP/1.1",
                                   "GET http://example.com/ HTTP/1.1 ",
                                   "G<T http://example.com/ HTTP/1.1",
                                   "",
                                   "GET http://example.com/ http/1.1",
                                   "GET http://example.com/ HTTP/1.10",
                                   "GET http://example.com/ HTTP/01.1",
                                   "GET http://example.com/ HTTP/1.2",
                                   "GET http://example.com/ HTTP/2.0",
                                   "GET http://example.com/ HTTP/0.9",
                                   "GET http://example.com/ HTTPS/1.1",
                                   "PRI * HTTP/2.0",
                                   "TRACE http://example.com/ HTTP/1.1",
                                   "TRACK http://example.com/ HTTP/1.1",
                                   "AVERYLONGMETHODTHATNOBODYHASEVERHEARDOF http://example.com/ HTTP/1.1"}) {
      CAPTURE(line);
      CHECK(is_refused(line + "\r\nHost: example.com\r\n\r\n"));
    }
  }

  TEST_CASE("what is no HTTP at all is refused at its first byte") {
    CHECK_EQ(read("\x16"), "malformed: the first line is no request of HTTP/1");
    CHECK_EQ(read("\x05"), "malformed: the first line is no request of HTTP/1");
    CHECK_EQ(read("\r\n"), "malformed: the first line is no request of HTTP/1");
    CHECK_EQ(read("\0"s), "malformed: the first line is no request of HTTP/1");
  }

  TEST_CASE("Host is there once and is the target's") {
    CHECK_EQ(read("GET http://example.com/ HTTP/1.1\r\n\r\n"), "malformed: there is no Host");
    CHECK_EQ(read("GET / HTTP/1.0\r\n\r\n", HttpRole::origin), "malformed: there is no Host");
    CHECK_EQ(read(with("Host: example.com\r\n")), "malformed: there are two Hosts");
    CHECK_EQ(read(with("hOST: example.com\r\n")), "malformed: there are two Hosts");
    CHECK_EQ(read("GET http://example.com/ HTTP/1.1\r\nHost: evil.example\r\n\r\n"),
             "malformed: Host is 'evil.example', but the target is 'example.com:80'");
    for (const std::string host :
         {"evil.example", "example.com:81", "", "example.com, evil.example", "user@example.com", "example.com/",
          "127.0.0.1", "example.com:080", "http://example.com"}) {
      CAPTURE(host);
      CHECK(is_refused(cat("GET http://example.com/ HTTP/1.1\r\nHost: ", host, "\r\n\r\n")));
    }
    CHECK(is_refused("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:80\r\n\r\n"));
    CHECK(is_refused("CONNECT example.com:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"));
    CHECK(is_refused("CONNECT example.com:443 HTTP/1.1\r\n\r\n"));
    CHECK(is_refused("CONNECT example.com:443 HTTP/1.0\r\nHost: evil.example\r\n\r\n"));
  }

  TEST_CASE("a body has one length, said once and in one way") {
    const auto framing = [](std::string_view lines) {
      const HttpHeadReader reader = fed(with(lines));
      if (reader.state() != HttpHeadReader::State::done) return told(reader);
      const HttpFraming& found = reader.head().framing;
      return cat(found.kind == HttpFraming::Kind::none      ? "none"
                 : found.kind == HttpFraming::Kind::chunked ? "chunked"
                                                            : "length ",
                 found.kind == HttpFraming::Kind::length ? std::to_string(found.length) : "");
    };
    CHECK_EQ(framing(""), "none");
    CHECK_EQ(framing("Content-Length: 0\r\n"), "none");
    CHECK_EQ(framing("Content-Length: 5\r\n"), "length 5");
    CHECK_EQ(framing("content-length:\t999999999999999999 \r\n"), "length 999999999999999999");
    CHECK_EQ(framing("Transfer-Encoding: Chunked\r\n"), "chunked");
    CHECK_EQ(framing("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
             "malformed: there are both Content-Length and Transfer-Encoding");
    CHECK_EQ(framing("Transfer-Encoding: chunked\r\ncontent-length: 0\r\n"),
             "malformed: there are both Content-Length and Transfer-Encoding");
    CHECK_EQ(framing("Content-Length: 5\r\nContent-Length: 5\r\n"), "malformed: the length of the body is said twice");
    CHECK_EQ(framing("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
             "malformed: the length of the body is said twice");
    for (const std::string odd :
         {"5, 5", "+5", "-1", "0x5", "5 5", "5.0", "", " ", "5a", "\xd9\xa5", "1000000000000000000"}) {
      CAPTURE(odd);
      CHECK_EQ(framing(cat("Content-Length: ", odd, "\r\n")), "malformed: Content-Length is no number");
    }
    for (const std::string odd : {"gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked;q=1",
                                  "\"chunked\"", "", "chunked,", "chun\tked"}) {
      CAPTURE(odd);
      CHECK_EQ(framing(cat("Transfer-Encoding: ", odd, "\r\n")),
               "unsupported: of transfer codings only 'chunked' is taken");
    }
    CHECK_EQ(read("POST http://example.com/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
             "malformed: HTTP/1.0 has no Transfer-Encoding");
  }

  TEST_CASE("what has no body brings none") {
    for (const std::string method : {"GET", "HEAD"}) {
      CHECK_EQ(read(with("Content-Length: 1\r\n", method)), cat("malformed: ", method, " has no body"));
      CHECK_EQ(read(with("Transfer-Encoding: chunked\r\n", method)), cat("malformed: ", method, " has no body"));
      CHECK_EQ(read(with("Content-Length: 0\r\n", method)), cat(method, " example.com:80 /"));
    }
    CHECK_EQ(read("CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nContent-Length: 4\r\n\r\n"),
             "malformed: CONNECT has no body");
    CHECK_EQ(read(with("Content-Length: 1\r\n", "DELETE")), "DELETE example.com:80 /");
  }

  TEST_CASE("a line that others would join, split or skip is refused") {
    const std::vector<std::string> lines = {"X: a\r\n b\r\n",
                                            "X: a\r\n\tb\r\n",
                                            " X: a\r\n",
                                            "X : a\r\n",
                                            "Transfer-Encoding : chunked\r\n",
                                            "Transfer-Encoding\t: chunked\r\n",
                                            "X\r\n",
                                            ": a\r\n",
                                            "X: a\n",
                                            "X: a\nY: b\r\n",
                                            "X: a\rY: b\r\n",
                                            "X: a\r\r\n",
                                            "X: a\0b\r\n"s,
                                            "X\0: a\r\n"s,
                                            "X: \x1b[2J\r\n",
                                            "X: a\x7f\r\n",
                                            "X: \x01\r\n",
                                            "(X): a\r\n",
                                            "X@: a\r\n",
                                            "\xc3\xa4: a\r\n",
                                            "X:\vchunked\r\n",
                                            "\n",
                                            "\r",
                                            "X,Y: a\r\n"};
    for (const std::string& line : lines) {
      CAPTURE(line);
      CHECK(is_refused(with(line)));
    }
    CHECK_EQ(read(with("X: a\r\n b\r\n")), "malformed: a line is folded");
    CHECK_EQ(read(with("X: a\r\n\tb\r\n")), "malformed: a line is folded");
    CHECK_FALSE(is_refused(with("aA0-zZ9_~!: y\r\n")));
    CHECK_FALSE(is_refused(with("X:\r\n")));
    CHECK_FALSE(is_refused(with("X: \xc3\xa4 \t y\r\n")));
    CHECK(is_refused("GET http://example.com/ HTTP/1.1\nHost: example.com\n\n"));
  }

  TEST_CASE("a head is at most 64 KiB large and has at most 100 fields") {
    const std::string start = "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n";
    const std::string field = cat("X: ", std::string(kLargestHead - start.size() - 7, 'a'), "\r\n");
    REQUIRE_EQ(start.size() + field.size() + 2, kLargestHead);
    CHECK_EQ(read(start + field + "\r\n"), "GET example.com:80 /");
    CHECK_EQ(read(start + "y" + field + "\r\n"), "too-large: the head is larger than 64 KiB");
    CHECK_EQ(read("GET http://example.com/" + std::string(100000, 'a')), "too-large: the head is larger than 64 KiB");
    std::string fields;
    for (std::size_t i = 1; i < kMostFields; ++i) fields += "X: y\r\n";
    CHECK_EQ(read(with(fields)), "POST example.com:80 /");
    CHECK_EQ(read(with(fields + "X: y\r\n")), "too-large: there are more than 100 fields");
  }

  TEST_CASE("bytes that trickle in without end are refused, too") {
    HttpHeadReader reader(HttpRole::proxy);
    std::size_t sent = reader.feed("GET http://example.com/ HTTP/1.1\r\n");
    while (reader.state() == HttpHeadReader::State::more && sent <= kLargestHead) sent += reader.feed("X");
    CHECK_EQ(told(reader), "too-large: the head is larger than 64 KiB");
  }

  TEST_CASE("a websocket is asked for as RFC 6455 says, and nothing else is upgraded to") {
    const auto wants = [](std::string_view lines, std::string_view method = "GET") {
      const HttpHeadReader reader = fed(with(lines, method));
      REQUIRE(reader.state() == HttpHeadReader::State::done);
      return reader.head().wants_websocket;
    };
    CHECK(wants("Connection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"));
    CHECK_FALSE(wants("Connection: keep-alive\r\nUpgrade: websocket\r\n"));
    CHECK_FALSE(wants("Connection: Upgrade\r\n"));
    CHECK_FALSE(wants("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"));
    CHECK_FALSE(wants("Connection: Upgrade\r\nUpgrade: websocket, h2c\r\n"));
    CHECK_FALSE(wants("Connection: Upgrade\r\nUpgrade: websocket\r\n", "POST"));
  }

  TEST_CASE("a refusal is fit for a terminal") {
    for (const std::string host : {"\x1b[2J", "a\u202eb", "\xff"}) {
      const HttpHeadReader reader = fed(cat("GET http://example.com/ HTTP/1.1\r\nHost: ", host, "\r\n\r\n"));
      REQUIRE(reader.state() == HttpHeadReader::State::refused);
      CHECK_EQ(reader.denial().detail, printable(reader.denial().detail));
    }
  }
}

}  // namespace
}  // namespace agentctl::egress
