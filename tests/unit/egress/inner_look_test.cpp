// SPDX-License-Identifier: Apache-2.0
#include "egress/inner_look.h"

#include <variant>

#include "tests/unit/egress/sample_access.h"
#include "tests/unit/egress/sample_hello.h"

namespace agentctl::egress {
namespace {

const AccessList& list() {
  static const AccessList made = access({"example.com", "example.com:22", "203.0.114.0/24", "other.example"});
  return made;
}

Permit permit(std::string_view asked) {
  const FakeAddresses none(policy::prefix_of(address("198.18.0.0"), 15), 16);
  auto decision = decide(list(), none, endpoint(asked));
  REQUIRE(std::holds_alternative<Permit>(decision));
  return std::get<Permit>(std::move(decision));
}

// What comes of the bytes: "fits", "more", or why not.
std::string look(std::string_view asked, std::string_view bytes) {
  const Permit permitted = permit(asked);
  InnerLook inner(permitted.carries);
  (void)inner.feed(bytes);
  if (inner.state() == InnerLook::State::more) return "more";
  if (inner.state() == InnerLook::State::refused) return cat("refused: ", code(inner.denial().reason));
  const auto denial = inner.check(list(), permitted);
  return denial ? cat("denied: ", code(denial->reason)) : "fits";
}

std::string hello_for(std::string_view name) { return hello(server_name(name)); }
std::string get(std::string_view host) { return cat("GET /x HTTP/1.1\r\nHost: ", host, "\r\n\r\n"); }

Denial denial(Reason reason) {
  return {.reason = reason, .asked = "example.com:443", .rule = {}, .detail = "no", .allow = {}};
}

TEST_SUITE("inner_look") {
  TEST_CASE("TLS for the host that was asked for fits, and for any other it does not") {
    CHECK_EQ(look("example.com:443", hello_for("example.com")), "fits");
    CHECK_EQ(look("example.com:443", hello_for("EXAMPLE.COM")), "fits");
    CHECK_EQ(look("example.com:443", hello_for("evil.example")), "denied: server-name");
    CHECK_EQ(look("example.com:443", hello_for("other.example")), "denied: server-name");
    CHECK_EQ(look("example.com:443", hello("")), "denied: server-name");
    CHECK_EQ(look("example.com:443", hello_for("example.com").substr(0, 20)), "more");
  }

  TEST_CASE("behind a bare address TLS may be for what rules allow, and for nothing else") {
    CHECK_EQ(look("203.0.114.7:443", hello_for("other.example")), "fits");
    CHECK_EQ(look("203.0.114.7:443", hello("")), "fits");
    CHECK_EQ(look("203.0.114.7:443", hello_for("evil.example")), "denied: no-rule");
  }

  TEST_CASE("where TLS is expected nothing else goes on") {
    CHECK_EQ(look("example.com:443", "GET / HTTP/1.1\r\n"), "refused: not-tls");
    CHECK_EQ(look("example.com:443", "SSH-2.0-x\r\n"), "refused: not-tls");
  }

  TEST_CASE("a request for the host that was asked for fits, and for any other it does not") {
    CHECK_EQ(look("example.com:80", get("example.com")), "fits");
    CHECK_EQ(look("example.com:80", get("evil.example")), "denied: host-field");
    CHECK_EQ(look("example.com:80", get("example.com:81")), "denied: host-field");
    CHECK_EQ(look("example.com:80", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n"),
             "refused: malformed");
  }

  TEST_CASE("on a port that a rule names, anything fits, unread") {
    CHECK_EQ(look("example.com:22", ""), "fits");
    InnerLook inner(Carries::anything);
    CHECK_EQ(inner.feed("SSH-2.0-x\r\n"), 0);
    CHECK(inner.make_gate() == nullptr);
  }

  TEST_CASE("what went on is looked at further: another hello, another request") {
    InnerLook tls(Carries::tls);
    (void)tls.feed(hello_for("example.com"));
    CHECK_EQ(tls.hello_bytes(), hello_for("example.com"));
    CHECK(tls.make_gate() != nullptr);
    InnerLook http(Carries::http);
    CHECK_EQ(http.feed(get("example.com") + get("evil.example")), get("example.com").size());
    CHECK(http.make_gate() != nullptr);
  }

  TEST_CASE("a denial is told in the language that is spoken inside") {
    InnerLook tls(Carries::tls);
    (void)tls.feed(hello_for("example.com"));
    CHECK_EQ(tls.rejection(denial(Reason::no_rule), "s"), access_denied_alert());
    CHECK_EQ(tls.rejection(denial(Reason::unreachable), "s"), internal_error_alert());
    InnerLook http(Carries::http);
    (void)http.feed(get("example.com"));
    CHECK(http.rejection(denial(Reason::no_rule), "s").starts_with("HTTP/1.1 403 "));
    CHECK_EQ(InnerLook(Carries::anything).rejection(denial(Reason::no_rule), "s"), "");
    InnerLook other(Carries::tls);
    (void)other.feed("SSH-2.0-x\r\n");
    CHECK_EQ(other.rejection(denial(Reason::no_rule), "s"), "");
  }
}

}  // namespace
}  // namespace agentctl::egress
