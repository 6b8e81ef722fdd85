// SPDX-License-Identifier: Apache-2.0
#include "manager/service/verb_outcome.h"

#include <doctest/doctest.h>

#include "manager/service/session_calls.h"

namespace agentctl::manager::service {
namespace {

BusError error(int status, const std::string& errors) {
  const auto found = error_of({.status = status, .errors = errors});
  REQUIRE(found.has_value());
  return *found;
}

}  // namespace

TEST_SUITE("verb_outcome") {
  TEST_CASE("a verb that succeeds is no error, whatever it has said") {
    CHECK_FALSE(error_of({.status = 0, .errors = "agentctl: 'a': had to kill sh (12)\n"}).has_value());
  }

  TEST_CASE("the exit status names the error") {
    CHECK(error(1, "agentctl: x\n").name == "org.agentctl.Error.Failed");
    CHECK(error(2, "agentctl: x\n").name == "org.agentctl.Error.InvalidArgument");
    CHECK(error(3, "agentctl: x\n").name == "org.agentctl.Error.Policy");
    CHECK(error(125, "agentctl: x\n").name == "org.agentctl.Error.Failed");
    CHECK(error(126, "agentctl: x\n").name == "org.agentctl.Error.CannotExecute");
    CHECK(error(127, "agentctl: x\n").name == "org.agentctl.Error.CommandNotFound");
    CHECK(error(137, "").name == "org.agentctl.Error.Failed");
  }

  TEST_CASE("the last message is the reason, with its hint") {
    CHECK(last_message("agentctl: warning: network: shared\nagentctl: cannot do it: no room\nhint: make room\n") ==
          "cannot do it: no room (make room)");
    CHECK(last_message("agentctl: one\nhint: of one\nagentctl: two\n") == "two");
    CHECK(last_message("ld.so: cannot open\n").empty());
  }

  TEST_CASE("a verb that dies without a word is told by its status") {
    CHECK(error(139, "") == BusError{kFailed, "agentctl ended with status 139"});
  }

  TEST_CASE("what is no UTF-8 cannot keep the error from being told") {
    CHECK(error(1, "agentctl: cannot open '/a\xff'\n").text == "cannot open '/a\xef\xbf\xbd'");
  }

  TEST_CASE("a verb that was killed at its deadline is told as such") {
    const auto late = error_of({.status = 137, .timed_out = true, .errors = "agentctl: waiting for 'a'\n"});
    CHECK(late == BusError{kTimedOut, "it did not end in time: waiting for 'a'"});
  }

  TEST_CASE("a stop may take its grace and a minute") {
    CHECK(stop_deadline({}) == 70'000'000U);
    CHECK(stop_deadline({{"grace", std::string("5min")}}) == 360'000'000U);
    CHECK(stop_deadline({{"grace", std::string("infinity")}}) == UINT64_MAX);
    CHECK(stop_deadline({{"grace", std::string("soon")}}) == 70'000'000U);
  }
}

}  // namespace agentctl::manager::service
