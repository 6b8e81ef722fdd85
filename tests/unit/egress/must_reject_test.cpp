// SPDX-License-Identifier: Apache-2.0
// Hosts that some program, somewhere, would take for an allowed one: through every front of the door none is permitted,
// and none is looked up.
#include <vector>

#include "base/text.h"
#include "egress/byte_cursor.h"
#include "egress/client_hello.h"
#include "egress/decision.h"
#include "egress/dns_answer.h"
#include "egress/http_head.h"
#include "egress/socks_handshake.h"
#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

using namespace std::string_literals;

const std::vector<std::string> kHosts = {"evil-allowed.com",
                                         "evilallowed.com",
                                         "allowed.com.evil.net",
                                         "allowed.co",
                                         "llowed.com",
                                         "com",
                                         "allowed.com\0.evil.net"s,
                                         "evil.net\0.allowed.com"s,
                                         "evil.net%00.allowed.com",
                                         "allowed.com%2eevil.net",
                                         "allowed.com..",
                                         ".allowed.com",
                                         "www..allowed.com",
                                         "evil.net@allowed.com",
                                         "allowed.com@evil.net",
                                         "user@allowed.com@evil.net",
                                         "allowed.com:443@evil.net",
                                         "evil.net#allowed.com",
                                         "allowed.com#evil.net",
                                         "evil.net/allowed.com",
                                         "evil.net\\.allowed.com",
                                         "evil.net?.allowed.com",
                                         "allowed.com\t",
                                         " allowed.com",
                                         "allowed.com ",
                                         "allowed.com\x0b",
                                         "allowed\u3002com",
                                         "allowed\uff0ecom",
                                         "\u24d0llowed.com",
                                         "a\u0301llowed.com",
                                         "allow\u0435d.com",
                                         "xn--allowed-.com",
                                         "xn--.allowed.com.evil.net",
                                         "-allowed.com",
                                         "localhost",
                                         "localhost.",
                                         "a.localhost",
                                         "127.0.0.1",
                                         "127.1",
                                         "127.0.1",
                                         "0",
                                         "0.0.0.0",
                                         "0177.0.0.1",
                                         "017700000001",
                                         "2130706433",
                                         "0x7f000001",
                                         "0x7f.1",
                                         "0x7f.0.0.1",
                                         "127.0.0.1.",
                                         "127.0.0.1.evil.net",
                                         "169.254.169.254",
                                         "10.0.0.1",
                                         "192.168.0.1",
                                         "100.64.0.1",
                                         "[::1]",
                                         "[::]",
                                         "[::ffff:127.0.0.1]",
                                         "[::ffff:7f00:1]",
                                         "[::127.0.0.1]",
                                         "[64:ff9b::7f00:1]",
                                         "[2002:7f00:1::]",
                                         "[fe80::1]",
                                         "[fe80::1%25lo]",
                                         "[fe80::1%lo]",
                                         "[fd00::1]",
                                         "[fd00:ec2::254]",
                                         "::1",
                                         "metadata.google.internal",
                                         "93.184.216.34",
                                         "[2606:4700::1111]",
                                         "*",
                                         "*.allowed.com.evil.net",
                                         "",
                                         ".",
                                         "allowed.com,evil.net",
                                         "allowed.com;evil.net",
                                         "allowed.com\r\nX: y",
                                         "$(id).allowed.com.evil.net",
                                         "evil.net\xff.allowed.com",
                                         std::string(254, 'a'),
                                         std::string(64, 'a') + ".allowed.com",
                                         "allowed.com:443",
                                         "allowed.com:443:80"};

AccessList allowed() { return access({"allowed.com", "*.allowed.com"}); }
FakeAddresses fakes() { return {policy::prefix_of(address("127.1.0.0"), 16), 16}; }

std::optional<Permit> permitted(const policy::Endpoint& asked) {
  auto decision = decide(allowed(), fakes(), asked);
  return std::holds_alternative<Permit>(decision) ? std::optional(std::get<Permit>(decision)) : std::nullopt;
}

bool passes_http(const std::string& head, HttpRole role) {
  HttpHeadReader reader(role);
  (void)reader.feed(head);
  if (reader.state() != HttpHeadReader::State::done) return false;
  const auto permit = permitted(*reader.head().endpoint);
  return permit && (reader.head().is_connect || !check_plain_http(*permit));
}

bool passes_connect(const std::string& host) {
  return passes_http(cat("CONNECT ", host, ":443 HTTP/1.1\r\nHost: ", host, ":443\r\n\r\n"), HttpRole::proxy);
}
bool passes_absolute(const std::string& host) {
  return passes_http(cat("GET http://", host, "/ HTTP/1.1\r\nHost: ", host, "\r\n\r\n"), HttpRole::proxy);
}
bool passes_origin(const std::string& host) {
  return passes_http(cat("GET / HTTP/1.1\r\nHost: ", host, "\r\n\r\n"), HttpRole::origin);
}

bool passes_socks(const std::string& host) {
  SocksHandshake handshake;
  std::string answer;
  const std::string sized = cat(static_cast<char>(host.size()), host);
  (void)handshake.feed("\x05\x01\x00\x05\x01\x00\x03"s + sized + "\x01\xbb", answer);
  return handshake.state() == SocksHandshake::State::asked && permitted(handshake.endpoint()).has_value();
}

bool passes_server_name(const std::string& host) {
  std::string list = "\0"s, body = "\x03\x03" + std::string(32, 'r') + "\x00\x00\x02\x13\x01\x01\x00"s,
              bytes = "\x16\x03\x01"s;
  append_number(list, static_cast<std::uint32_t>(host.size()), 2);
  list += host;
  const auto size = static_cast<std::uint32_t>(list.size());
  append_number(body, size + 6, 2);
  append_number(body, 0, 2);
  append_number(body, size + 2, 2);
  append_number(body, size, 2);
  body += list;
  append_number(bytes, static_cast<std::uint32_t>(body.size()) + 4, 2);
  bytes += '\x01';
  append_number(bytes, static_cast<std::uint32_t>(body.size()), 3);
  ClientHelloReader reader;
  (void)reader.feed(bytes + body);
  const auto permit = decide(allowed(), fakes(), endpoint("allowed.com:443"));
  return reader.state() == ClientHelloReader::State::done && reader.hello().server_name &&
         !check_named_host(allowed(), std::get<Permit>(permit), {*reader.hello().server_name, 443},
                           Reason::server_name);
}

// Whether the name got an address of the pool, by which it would be reached.
bool passes_dns(const std::string& host) {
  std::string message = "\xbe\xef\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"s;
  for_each_part(host, '.', [&](std::string_view label) { message += cat(static_cast<char>(label.size()), label); });
  FakeAddresses table = fakes();
  const auto query = read_dns_query(message + "\x00\x00\x01\x00\x01"s);
  if (query) (void)answer_dns(allowed(), table, *query);
  return table.size() != 0;
}

TEST_SUITE("must_reject") {
  TEST_CASE("the host that is allowed passes every front") {
    for (const std::string host : {"allowed.com", "ALLOWED.com", "www.allowed.com", "allowed.com."}) {
      CAPTURE(host);
      CHECK(passes_connect(host));
      CHECK(passes_absolute(host));
      CHECK(passes_origin(host));
      CHECK(passes_socks(host));
    }
    CHECK(passes_server_name("allowed.com"));
    CHECK(passes_dns("allowed.com"));
  }

  TEST_CASE("a host that is not passes none") {
    for (const std::string& host : kHosts) {
      CAPTURE(host);
      CHECK_FALSE(passes_connect(host));
      CHECK_FALSE(passes_absolute(host));
      // Blanks around a field's value are none of it, and after CR LF another field begins.
      if (trim(host) == host && host.find('\r') == std::string::npos) CHECK_FALSE(passes_origin(host));
      CHECK_FALSE(passes_socks(host));
      CHECK_FALSE(passes_server_name(host));
      CHECK_FALSE(passes_dns(host));
    }
  }

  TEST_CASE("another host that is allowed is still another host to TLS") {
    CHECK_FALSE(passes_server_name("www.allowed.com"));
  }
}

}  // namespace
}  // namespace agentctl::egress
