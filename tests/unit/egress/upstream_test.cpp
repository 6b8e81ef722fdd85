// SPDX-License-Identifier: Apache-2.0
#include "egress/upstream.h"

#include "tests/unit/egress/sample_access.h"

namespace agentctl::egress {
namespace {

std::string read(std::string_view url) {
  const auto upstream = parse_upstream(url);
  if (!upstream) return upstream.error().message;
  return policy::to_string(upstream->endpoint) +
         (upstream->login.authorization.empty() ? "" : " " + upstream->login.authorization);
}

bool is_direct(std::string_view list, std::string_view asked) { return DirectHosts(list).contain(endpoint(asked)); }

TEST_SUITE("upstream") {
  TEST_CASE("a proxy is read as the variables of the host have it") {
    CHECK_EQ(read("http://proxy.corp:3128"), "proxy.corp:3128");
    CHECK_EQ(read("HTTP://Proxy.Corp:3128/"), "proxy.corp:3128");
    CHECK_EQ(read("proxy.corp:8080"), "proxy.corp:8080");
    CHECK_EQ(read("http://proxy.corp"), "proxy.corp:80");
    CHECK_EQ(read("http://127.0.0.1:3128"), "127.0.0.1:3128");
    CHECK_EQ(read("http://[::1]:3128"), "[::1]:3128");
    CHECK_EQ(read("http://Aladdin:open%20sesame@proxy.corp:3128"),
             "proxy.corp:3128 Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    CHECK_EQ(read("http://u:p%40ss@proxy.corp:3128"), "proxy.corp:3128 Basic dTpwQHNz");
    CHECK_EQ(read("http://%41%5a%61%7A%39%2F%fF@proxy.corp:3128"), "proxy.corp:3128 Basic QVphejkv/zo=");
    CHECK_EQ(read("http://u@proxy.corp:3128"), "proxy.corp:3128 Basic dTo=");
  }

  TEST_CASE("what is no HTTP proxy is refused, and no login is shown") {
    CHECK_EQ(read("socks5://proxy.corp:1080"),
             "it must be a proxy that is spoken to in HTTP ('http://…'); got 'socks5'");
    CHECK_EQ(read("https://proxy.corp:3128"), "it must be a proxy that is spoken to in HTTP ('http://…'); got 'https'");
    for (const std::string url :
         {"", "http://", "http://secret:secret@:3128", "http://secret:secret@proxy corp:3128",
          "http://secret:%zz@proxy.corp:3128", "http://secret:%4@proxy.corp", "http://secret:secret@proxy.corp:0",
          "http://secret:secret@127.1:3128", "http://secret:sec/ret@proxy.corp:3128"}) {
      CAPTURE(url);
      const auto upstream = parse_upstream(url);
      REQUIRE_FALSE(upstream.has_value());
      CHECK_EQ(upstream.error().message.find("secret"), std::string::npos);
    }
  }

  TEST_CASE("a name in NO_PROXY stands for itself and what is below it") {
    for (const std::string list : {"corp.example", ".corp.example", "*.corp.example", "x.example, corp.example ,y"}) {
      CHECK(is_direct(list, "corp.example:443"));
      CHECK(is_direct(list, "git.corp.example:22"));
      CHECK_FALSE(is_direct(list, "evilcorp.example:443"));
      CHECK_FALSE(is_direct(list, "corp.example.evil.net:443"));
    }
  }

  TEST_CASE("addresses, ranges, ports and everything can stand there, too") {
    CHECK(is_direct("10.0.0.0/8", "10.1.2.3:443"));
    CHECK(is_direct("192.0.2.7", "192.0.2.7:80"));
    CHECK(is_direct("::1,fd00::/8", "[fd12::1]:443"));
    CHECK(is_direct("[2001:db8::7]:22", "[2001:db8::7]:22"));
    CHECK(is_direct("a.example:8080", "a.example:8080"));
    CHECK_FALSE(is_direct("a.example:8080", "a.example:443"));
    CHECK_FALSE(is_direct("10.0.0.0/8", "a.example:443"));
    CHECK(is_direct("*", "a.example:443"));
    CHECK(is_direct("localhost,127.0.0.1", "localhost:80"));
  }

  TEST_CASE("what nobody can read is passed over, and an empty list holds nothing") {
    for (const std::string list : {"", ",", " , ,", "http://a.example", "a b", "10.0.0.1/8", "\xff"})
      CHECK_FALSE(is_direct(list, "a.example:443"));
  }
}

}  // namespace
}  // namespace agentctl::egress
