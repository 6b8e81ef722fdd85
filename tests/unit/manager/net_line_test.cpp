// SPDX-License-Identifier: Apache-2.0
#include "manager/net_line.h"

#include <doctest/doctest.h>

#include "egress/net_event.h"

namespace agentctl::manager {
namespace {

// As the door writes it, and as it is read back.
std::string line_of(const egress::NetEvent& event, std::string_view session = "s") {
  const auto value = parse_json(egress::log_line(event));
  REQUIRE(value.has_value());
  return net_line(*value, session).substr(21);  // behind date and time
}

egress::NetEvent event_of(std::optional<egress::Denial> denial) {
  egress::NetEvent event;
  event.time_usec = 1'800'000'000'000'000;
  event.denial = std::move(denial);
  event.host = "a.example";
  event.port = 443;
  return event;
}

egress::Denial denial_of(egress::Reason reason, const char* detail, const char* allow) {
  return {.reason = reason, .asked = "a.example:443", .rule = {}, .detail = detail, .allow = allow};
}

}  // namespace

TEST_SUITE("net_line") {
  TEST_CASE("what went through is told with its size, address and time") {
    egress::NetEvent event = event_of(std::nullopt);
    event.bytes_up = 2048;
    event.bytes_down = 3 << 20;
    event.duration_usec = 1'500'000;
    event.address = policy::parse_ipv4("192.0.2.7").value();
    CHECK(line_of(event) == "allowed  a.example:443 (connect): 2.0K up, 3.0M down, at 192.0.2.7, for 1s 500ms");
  }

  TEST_CASE("a name that was answered has no size") {
    egress::NetEvent event = event_of(std::nullopt);
    event.protocol = egress::Protocol::dns;
    event.port.reset();
    CHECK(line_of(event) == "allowed  a.example (dns)");
  }

  TEST_CASE("a denial says why, how often, and what to type while the session runs") {
    egress::NetEvent event = event_of(denial_of(egress::Reason::no_rule, "no rule allows it", "a.example"));
    CHECK(line_of(event) == "denied   a.example:443 (connect): no rule allows it; agentctl allow s a.example");
    event.count = 12;
    CHECK(line_of(event, "") == "denied   a.example:443 (connect), 12 times: no rule allows it");
    event.denial->allow.clear();
    event.count = 1;
    CHECK(line_of(event) == "denied   a.example:443 (connect): no rule allows it");
  }

  TEST_CASE("a failure is no denial, and what named no host is a connection") {
    egress::NetEvent event = event_of(denial_of(egress::Reason::unreachable, "nobody answers there", ""));
    CHECK(line_of(event) == "failed   a.example:443 (connect): nobody answers there");
    event = event_of(denial_of(egress::Reason::malformed, "it is no request", ""));
    event.host.clear();
    event.port.reset();
    CHECK(line_of(event) == "denied   a connection (connect): it is no request");
  }

  TEST_CASE("a door that was taken over cannot write to the terminal") {
    const auto value = parse_json(
        R"({"verdict":"denied\u001b[2J","host":"a\u0007","protocol":"x\u009b","detail":"\n\u202e","allow":"\u001b]0;"})");
    REQUIRE(value.has_value());
    for (const char byte : net_line(*value, "s")) CHECK(static_cast<unsigned char>(byte) >= 0x20);
    CHECK(net_line(*value, "s").find("\u202e") == std::string::npos);
  }
}

}  // namespace agentctl::manager
