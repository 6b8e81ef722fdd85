// SPDX-License-Identifier: Apache-2.0
#include "policy/host_name.h"

#include <doctest/doctest.h>

#include <vector>

#include "policy/punycode.h"

namespace agentctl::policy {
namespace {

using namespace std::string_literals;

std::string read(std::string_view text) {
  const auto name = parse_host_name(text);
  return name ? name->text() : name.error().message;
}

TEST_SUITE("host_name") {
  TEST_CASE("a name has one spelling, whatever its case and with or without the last dot") {
    CHECK_EQ(read("example.com"), "example.com");
    CHECK_EQ(read("EXAMPLE.Com."), "example.com");
    CHECK_EQ(read("localhost."), "localhost");
    CHECK_EQ(read("_dmarc.example.com"), "_dmarc.example.com");
    CHECK_EQ(read("r3---sn-abc.example.com"), "r3---sn-abc.example.com");
    CHECK_EQ(read("XN--BCHER-KVA.example"), "xn--bcher-kva.example");
    CHECK_EQ(read("1.example"), "1.example");
    CHECK_EQ(read("127.0.0.1.nip.io"), "127.0.0.1.nip.io");  // a name: what it resolves to is looked at later
  }

  TEST_CASE("what two programs could read as two hosts is no name") {
    const std::vector<std::string> texts = {
        "",
        ".",
        "..",
        "example.com..",
        ".example.com",
        "example..com",
        "example.com\0.evil.net"s,
        "example.com\0"s,
        "\0"s,
        "example.com%00.x",
        "example%2ecom",
        "user@example.com",
        "user@allowed.com@evil",
        "example.com:443",
        "allowed.com:443@evil",
        "example.com/",
        "allowed.com#evil",
        "example.com?x",
        "example.com\\evil",
        " example.com",
        "example.com ",
        "example .com",
        "allowed.com\t",
        "example.com\n",
        "example.com\r\nX: y",
        "example.com\x7f",
        "example.com\x1b[2J",
        "example\u3002com",   // ideographic full stop
        "example\uff0ecom",   // full-width full stop
        "\u24d4xample.com",   // circled e
        "\uff45xample.com",   // full-width e
        "ex\u00adample.com",  // soft hyphen
        "example\u200b.com",  // zero-width space
        "b\u00fccher.example",
        "\xff\xfe.example",
        "*.example.com",
        "exa*mple.com",
        "[::1]",
        "::1",
        "a,b.example",
        "a;b",
        "$(id).example",
        "-example.com",
        "example-.com",
        "example.-com",
        "example.com-",
    };
    for (const std::string& text : texts) {
      CAPTURE(text);
      CHECK_FALSE(parse_host_name(text).has_value());
    }
  }

  TEST_CASE("what is an address to some is no name") {
    for (const std::string text : {"127.0.0.1", "127.1", "2130706433", "0x7f000001", "0X7F.1", "0177.0.0.1", "1.2.3.4.",
                                   "example.1", "example.0x1", "0x", "10", "1.2.3.4.5", "00.example.09"}) {
      CAPTURE(text);
      CHECK(ends_in_number(text));
      CHECK_FALSE(parse_host_name(text).has_value());
    }
    CHECK_FALSE(ends_in_number("1.example"));
    CHECK_FALSE(ends_in_number(""));
  }

  TEST_CASE("a name is at most 253 bytes long and a label 63") {
    const std::string label(63, 'a');
    const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'a');
    REQUIRE_EQ(longest.size(), kLongestHostName);
    CHECK_EQ(read(longest), longest);
    CHECK_EQ(read(longest + "."), longest);
    CHECK_EQ(read(longest + "a"), "must not be longer than 253 bytes");
    CHECK_EQ(read(label + "a.example"), "must not have a label of more than 63 bytes");
    CHECK_FALSE(parse_host_name(std::string(100000, 'a')).has_value());
  }

  TEST_CASE("a fault names the byte, fit for a terminal") {
    CHECK_EQ(read("a b.example"), "must not hold ' '");
    CHECK_EQ(read("a\x1b.example"), "must not hold '\\x1b'");
    CHECK_EQ(read("b\u00fccher.example"),
             "must be ASCII: a name in other letters is written as the DNS has it, 'xn--…'");
    CHECK_EQ(read("10.0"), "must be a name, or an address of four decimal numbers");
  }

  TEST_CASE("a label that claims to be punycode spells something") {
    for (const std::string text : {"xn--.example", "xn--a.example", "xn--example-.com", "xn--99999999999.example",
                                   "xn--a-.b", "xn--zzzzzzzzzzzzzzzzzzzzzzzzz.com"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_host_name(text).has_value());
    }
    // RFC 3492, 7.1: Japanese "3年B組金八先生" and Chinese (simplified)
    CHECK(decode_punycode("3B-ww4c5e180e575a65lsy2b").has_value());
    CHECK(decode_punycode("ihqwcrb4cv8a8dqg056pqjye").has_value());
    const auto bucher = decode_punycode("bcher-kva");
    REQUIRE(bucher.has_value());
    CHECK(std::u32string(bucher->begin(), bucher->end()) == U"b\u00fccher");
    const auto many = decode_punycode("zz-cjaaa5iaaaa0b");
    REQUIRE(many.has_value());
    CHECK(std::u32string(many->begin(), many->end()) == U"zz\u00fc\u00fc\u00fc\u00fc\u00fc\u00e9\u00e9\u00e9\u00ff");
  }

  TEST_CASE("punycode spells all of Unicode but controls and surrogates, and nothing past its end") {
    for (const std::string text : {"6a", "hb9b", "0y0c", "dn32g", "a-4ba", "a-h023p"}) {
      CAPTURE(text);
      CHECK(decode_punycode(text).has_value());
    }
    for (const std::string text : {"a", "5a", "a-2ba", "ib9b", "zy0c", "a-rc4g", "en32g", "99999999", ""}) {
      CAPTURE(text);
      CHECK_FALSE(decode_punycode(text).has_value());
    }
  }

  TEST_CASE("a name is below another by whole labels only") {
    const HostName ancestor = *parse_host_name("example.com");
    CHECK(parse_host_name("a.example.com")->is_below(ancestor));
    CHECK(parse_host_name("a.b.example.com")->is_below(ancestor));
    for (const std::string text :
         {"example.com", "evil-example.com", "evilexample.com", "example.com.evil.net", "com", "xample.com"}) {
      CAPTURE(text);
      CHECK_FALSE(parse_host_name(text)->is_below(ancestor));
    }
  }
}

}  // namespace
}  // namespace agentctl::policy
