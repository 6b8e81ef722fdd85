// SPDX-License-Identifier: Apache-2.0
#include "egress/hello_gate.h"

#include <string>

#include <doctest/doctest.h>

namespace agentctl::egress {
namespace {

using namespace std::string_literals;
using State = RelayGate::State;

const std::string kHello = "\x16\x03\x01\x00\x05\x01\x00"s;   // the begin of one
const std::string kAnswer = "\x15\x03\x03\x00\x02\x02\x28"s;  // an alert, which asks for no hello

}  // namespace

TEST_SUITE("hello_gate") {
  TEST_CASE("a second hello is held back until the server has answered") {
    HelloGate gate(*policy::parse_host_name("example.com"));
    std::string out;
    gate.pass(kHello, out);
    CHECK(out.empty());
    CHECK(gate.state() == State::watching);
    CHECK(gate.looks_at_answer());
  }

  TEST_CASE("it is over with the server's first record, and gives what it held") {
    HelloGate gate(*policy::parse_host_name("example.com"));
    std::string out;
    gate.pass(kHello, out);
    gate.look_at_answer(kAnswer);
    CHECK(gate.state() == State::over);
    CHECK_FALSE(gate.looks_at_answer());
    gate.pass({}, out);
    CHECK(out == kHello);
    gate.pass("more", out);
    CHECK(out == kHello + "more");
  }

  TEST_CASE("what is no TLS is refused, with the reason") {
    HelloGate gate(*policy::parse_host_name("example.com"));
    std::string out;
    gate.pass("GET / HTTP/1.1\r\n\r\n", out);
    CHECK(gate.state() == State::refused);
    CHECK(gate.denial().reason == Reason::malformed);
    CHECK(out.empty());
  }
}

}  // namespace agentctl::egress
