// SPDX-License-Identifier: Apache-2.0
#include "policy/host_rule.h"

#include <doctest/doctest.h>

#include <vector>

namespace agentctl::policy {
namespace {

std::string fault(std::string_view text) {
  const auto rule = parse_allow_rule(text);
  return rule ? "accepted" : rule.error().message;
}

bool is_matched(std::string_view rule, std::string_view host) {
  const auto parsed = parse_allow_rule(rule);
  REQUIRE(parsed.has_value());
  const auto asked = parse_host(host);
  return asked.has_value() && matches(*parsed, *asked);
}

TEST_SUITE("host_rule") {
  TEST_CASE("a rule has one spelling") {
    struct Spelling {
      std::string written, spelled;
    };
    const std::vector<Spelling> spellings = {{"Example.COM.", "example.com"},
                                             {"example.com:22", "example.com:22"},
                                             {"*.Example.com", "*.example.com"},
                                             {"**.example.com:8443", "**.example.com:8443"},
                                             {"203.0.113.7", "203.0.113.7"},
                                             {"10.0.0.0/8:5432", "10.0.0.0/8:5432"},
                                             {"[FD00::/8]", "[fd00::/8]"},
                                             {"[2001:db8:0::7]:22", "[2001:db8::7]:22"},
                                             {"[2001:db8::/32]:22", "[2001:db8::/32]:22"},
                                             {"203.0.113.7/32", "203.0.113.7"},
                                             {"intranet", "intranet"},
                                             {"xn--bcher-kva.example", "xn--bcher-kva.example"}};
    for (const Spelling& spelling : spellings) {
      const std::string& written = spelling.written;
      const std::string& spelled = spelling.spelled;
      CAPTURE(written);
      const auto rule = parse_allow_rule(written);
      REQUIRE(rule.has_value());
      CHECK_EQ(to_string(*rule), spelled);
      CHECK(parse_allow_rule(spelled).value() == *rule);
      CHECK(check_allow_entry("!" + written).has_value());
    }
  }

  TEST_CASE("a name matches itself and nothing that resembles it") {
    CHECK(is_matched("example.com", "EXAMPLE.com."));
    for (const std::string host :
         {"www.example.com", "evil-example.com", "evilexample.com", "example.com.evil.net", "example.co", "com",
          "xample.com", "example.com..", "example.com%00.x", "user@example.com"}) {
      CAPTURE(host);
      CHECK_FALSE(is_matched("example.com", host));
    }
  }

  TEST_CASE("'*.' matches what is below at any depth, '**.' the name itself too, both by whole labels") {
    for (const std::string host : {"a.example.com", "a.b.c.example.com"}) {
      CHECK(is_matched("*.example.com", host));
      CHECK(is_matched("**.example.com", host));
    }
    CHECK_FALSE(is_matched("*.example.com", "example.com"));
    CHECK(is_matched("**.example.com", "example.com"));
    for (const std::string host :
         {"evil-example.com", "a.evil-example.com", "example.com.evil.net", ".example.com", "com"}) {
      CAPTURE(host);
      CHECK_FALSE(is_matched("*.example.com", host));
      CHECK_FALSE(is_matched("**.example.com", host));
    }
  }

  TEST_CASE("an address matches only a rule for addresses, and a name only a rule for names") {
    CHECK(is_matched("203.0.113.7", "203.0.113.7"));
    CHECK(is_matched("10.0.0.0/8", "10.200.0.1"));
    CHECK(is_matched("[fd00::/8]", "[fd12::1]"));
    CHECK_FALSE(is_matched("10.0.0.0/8", "11.0.0.1"));
    CHECK_FALSE(is_matched("10.0.0.0/8", "[::ffff:10.0.0.1]"));
    CHECK_FALSE(is_matched("10.0.0.0/8", "10.0.0.1.nip.io"));
    CHECK_FALSE(is_matched("**.nip.io", "10.0.0.1"));
  }

  TEST_CASE("what is no host is refused, with what to write instead") {
    CHECK_EQ(fault(""), "must not be empty");
    CHECK_EQ(fault("https://example.com"), "must be a host without scheme and path: 'example.com'");
    CHECK_EQ(fault("example.com/path"), "must not hold a path: a rule is for a host as a whole");
    CHECK_EQ(fault("2001:db8::7"), "must have an IPv6 address in brackets: '[2001:db8::7]'");
    CHECK_EQ(fault("example.com:443:80"), "must have an IPv6 address in brackets: '[2001:db8::7]'");
    CHECK_EQ(fault("example.com:0443"), "must have a port between 1 and 65535, in plain digits");
    CHECK_EQ(fault("example.com:*"), "must have a port between 1 and 65535, in plain digits");
    CHECK_EQ(fault("10.0.0.1/8"), "must begin where its range begins: '10.0.0.0/8'");
    CHECK_EQ(fault("10.0.0.0/33"), "must have between 0 and 32 bits after '/'");
    CHECK_EQ(fault("10.0.0.0/08"), "must have between 0 and 32 bits after '/'");
    for (const std::string bits : {"", "x", "8x", "+8", " 8", "-1", "8.0", "999", "1000"}) {
      CAPTURE(bits);
      CHECK_EQ(fault("10.0.0.0/" + bits), "must have between 0 and 32 bits after '/'");
    }
    CHECK_EQ(fault("[fd00::/129]"), "must have between 0 and 128 bits after '/'");
    CHECK_EQ(fault("10.0.0.0/19"), "accepted");
    CHECK_FALSE(parse_allow_rule("fd00::/8").has_value());
    CHECK_FALSE(parse_allow_rule("fd00::/8]").has_value());
    CHECK_FALSE(parse_allow_rule("[fd00::/8").has_value());
    CHECK_FALSE(parse_allow_rule("[10.0.0.0/8]").has_value());
    CHECK_EQ(fault("10.0.0/8"), "must hold an address before '/': a range is written '10.0.0.0/8' or '[fd00::/8]'");
    CHECK_EQ(fault("*.10.0.0.1"), "must not have '*' before an address: a range is written '10.0.0.0/8'");
    CHECK_EQ(fault("127.1"), "must be a name, or an address of four decimal numbers");
    CHECK_EQ(fault("user@example.com"), "must not hold '@'");
    CHECK_EQ(fault("b\u00fccher.example"),
             "must be ASCII: a name in other letters is written as the DNS has it, 'xn--…'");
  }

  TEST_CASE("'*' stands for whole labels at the start and nowhere else") {
    for (const std::string text : {"*com", "exa*mple.com", "*example.com", "www.*.com", "*.*.example.com", "example.*",
                                   "***.example.com", "*.", "**", "**.", "*.example.com/8"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_allow_rule(text).has_value());
      CHECK_FALSE(parse_deny_rule(text).has_value());
    }
  }

  TEST_CASE("no rule allows everything, nor a top-level domain") {
    CHECK_EQ(fault("*"), "must not be every host: mode \"nat\" opens the public internet");
    CHECK_EQ(fault("*:443"), "must not be every host: mode \"nat\" opens the public internet");
    CHECK_EQ(fault("*.com"), "must not allow every host below a top-level domain");
    CHECK_EQ(fault("**.com"), "must not allow every host below a top-level domain");
    CHECK_EQ(fault("0.0.0.0/0"), "must not allow every address");
    CHECK_EQ(fault("[::/0]"), "must not allow every address");
    CHECK(parse_deny_rule("*.com").has_value());
    CHECK(parse_deny_rule("0.0.0.0/0").has_value());
  }

  TEST_CASE("no rule allows the loopback, in whatever words") {
    for (const std::string text :
         {"localhost", "localhost.:80", "*.localhost", "a.localhost", "127.0.0.1", "127.0.0.0/8", "[::1]:5432"}) {
      CAPTURE(text);
      CHECK_EQ(fault(text), "must not be the loopback: a service of this machine is opened by 'host-ports'");
      CHECK(parse_deny_rule(text).has_value());
    }
    for (const std::string text : {"[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[2002:7f00:1::]", "0.0.0.0", "[::]",
                                   "224.0.0.1", "255.255.255.255", "[64:ff9b::10.0.0.1]"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_allow_rule(text).has_value());
    }
  }

  TEST_CASE("where credentials of the machine may be had, only a single address is a rule") {
    CHECK(parse_allow_rule("169.254.169.254").has_value());
    CHECK_EQ(fault("169.254.0.0/16"), "must name a single address, for a range opens none here: a link-local address");
  }

  TEST_CASE("what a rule opens beyond one public host is told") {
    const auto told = [](std::string_view text) { return remark(*parse_allow_rule(text)); };
    CHECK_EQ(told("example.com"), "");
    CHECK_EQ(told("93.184.216.34"), "");
    CHECK_EQ(told("*.example.com"), "every host below 'example.com'");
    CHECK_EQ(told("*.github.io"), "every host below 'github.io', where anybody can have one");
    CHECK_EQ(told("**.co.uk:443"), "every host below 'co.uk', where anybody can have one");
    CHECK_EQ(told("10.0.0.0/8"), "every address in '10.0.0.0/8', a private address");
    CHECK_EQ(told("93.184.0.0/16"), "every address in '93.184.0.0/16'");
    CHECK_EQ(told("169.254.169.254"), "'169.254.169.254', where a cloud keeps this machine's credentials");
  }
}

}  // namespace
}  // namespace agentctl::policy
