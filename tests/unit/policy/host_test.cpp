// SPDX-License-Identifier: Apache-2.0
#include "policy/host.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::policy {
namespace {

std::string read(std::string_view text) {
  const auto parsed = parse_host_and_port(text);
  if (!parsed) return "refused";
  return parsed->port ? to_string(Endpoint{parsed->host, *parsed->port}) : to_string(parsed->host);
}

TEST_SUITE("host") {
  TEST_CASE("a host is a name or an address, and may have a port behind it") {
    CHECK_EQ(read("Example.com"), "example.com");
    CHECK_EQ(read("example.com.:443"), "example.com:443");
    CHECK_EQ(read("192.0.2.7:80"), "192.0.2.7:80");
    CHECK_EQ(read("[2001:DB8::7]"), "[2001:db8::7]");
    CHECK_EQ(read("[2001:db8::7]:65535"), "[2001:db8::7]:65535");
    CHECK_EQ(read("[::ffff:127.0.0.1]:1"), "[::ffff:127.0.0.1]:1");  // its class is judged later
    CHECK(std::holds_alternative<IpAddress>(*parse_host("192.0.2.7")));
  }

  TEST_CASE("a port is plain digits from 1 to 65535") {
    for (const std::string port : {"", "0", "00", "0443", "443 ", " 443", "+443", "-1", "4a3", "65536", "99999",
                                   "100000", "443:80", "0x1bb", "443/", "443.", "\xd9\xa3", "443\r"}) {
      CAPTURE(port);
      CHECK_FALSE(parse_port(port).has_value());
      CHECK_EQ(read(cat("a.com:", port)), "refused");
      CHECK_EQ(read(cat("[::1]:", port)), "refused");
    }
    CHECK_EQ(*parse_port("1"), 1);
    CHECK_EQ(*parse_port("65535"), 65535);
    CHECK_FALSE(parse_port(std::string_view("443\0", 4)).has_value());
  }

  TEST_CASE("user information, a second port, half a bracket and a zone are refused") {
    for (const std::string text : {"user@allowed.com:443",
                                   "allowed.com:443@evil:80",
                                   "allowed.com:443:80",
                                   "a.com::443",
                                   ":443",
                                   "[::1",
                                   "::1]",
                                   "[::1]]:80",
                                   "[[::1]]:80",
                                   "[::1]443",
                                   "[::1]:",
                                   "[]:80",
                                   "[1.2.3.4]:80",
                                   "[fe80::1%eth0]:80",
                                   "[fe80::1%25lo]:80",
                                   "[example.com]:80",
                                   "::1",
                                   "::1:80",
                                   "2001:db8::7:443",
                                   "[::1",
                                   "x[::1]:80",
                                   "127.1:80",
                                   "0x7f.1:80",
                                   "017700000001:80",
                                   "http://a.com:80",
                                   "//a.com"}) {
      CAPTURE(text);
      CHECK_EQ(read(text), "refused");
    }
  }
}

}  // namespace
}  // namespace agentctl::policy
