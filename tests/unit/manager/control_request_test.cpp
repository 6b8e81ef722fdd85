// SPDX-License-Identifier: Apache-2.0
#include "manager/control_request.h"

#include <doctest/doctest.h>

#include "manager/control_answer.h"

namespace agentctl::manager {

TEST_SUITE("control_request") {
  TEST_CASE("every request is read back as it was written") {
    for (const ControlRequest& request :
         {ControlRequest(StopRequest{0}), ControlRequest(StopRequest{10'000'000}),
          ControlRequest(StopRequest{UINT64_MAX}), ControlRequest(PauseRequest{}), ControlRequest(ResumeRequest{})}) {
      INFO("text: ", to_text(request));
      const auto read = parse_request(to_text(request));
      REQUIRE(read.has_value());
      CHECK(*read == request);
    }
  }

  TEST_CASE("a host to allow or to deny is read back as the rule that it is, whatever its form") {
    for (const char* host : {"example.com", "*.example.com:8443", "**.example.com", "10.0.0.0/8", "[2001:db8::7]:22"}) {
      for (const std::string verb : {"allow ", "deny "}) {
        INFO("text: ", verb, host);
        const auto read = parse_request(verb + host);
        REQUIRE(read.has_value());
        CHECK(to_text(*read) == verb + host);
        CHECK(std::holds_alternative<AllowRequest>(*read) == (verb == "allow "));
        CHECK(parse_request(to_text(*read)).value() == *read);
      }
    }
    CHECK(to_text(parse_request("allow Example.COM.").value()) == "allow example.com");
  }

  TEST_CASE("what no rule may allow is no request, whoever sends it") {
    for (const char* text :
         {"allow", "allow ", "allow *", "allow *.com", "allow !example.com", "allow !*", "allow 0.0.0.0/0",
          "allow localhost", "allow a b", "allow a.example\n", "allow https://a.example", "allow a.example:0", "deny",
          "deny *", "deny !a.example", "deny a.example b.example"}) {
      INFO("text: '", text, "'");
      CHECK_FALSE(parse_request(text).has_value());
    }
  }

  TEST_CASE("what is not exactly a request is refused") {
    for (const char* text : {"", " ", "stop", "stop ", "stop 1 2", "stop -1", "stop 1s", "stop 18446744073709551616",
                             "stop  1", "STOP 1", "pause ", "pause 1", " pause", "pause\n", "resume all", "kill"}) {
      INFO("text: '", text, "'");
      CHECK_FALSE(parse_request(text).has_value());
    }
    CHECK_FALSE(parse_request(std::string_view("pause\0", 6)).has_value());
  }
}

TEST_SUITE("control_answer") {
  TEST_CASE("an error comes through with its hint") {
    const auto answer = parse_answer(to_answer(make_error(ErrorKind::system, "is ending", "wait")));
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().message == "is ending");
    CHECK(answer.error().hint == "wait");
  }

  TEST_CASE("nothing but ok is success") {
    CHECK(parse_answer(to_answer({})).has_value());
    for (const char* text : {"", "ok ", "OK", "ok\nerror no", "ended 0"}) CHECK_FALSE(parse_answer(text).has_value());
  }

  TEST_CASE("an answer cannot move the cursor") {
    const auto answer = parse_answer("error a\x1b[2J\nhint b\x07");
    REQUIRE_FALSE(answer.has_value());
    CHECK(answer.error().message == "a\\x1b[2J");
    CHECK(answer.error().hint == "b\\x07");
  }
}

}  // namespace agentctl::manager
