// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "units/manager_connection.h"
#include "units/unit_name.h"

namespace agentctl::units {

TEST_SUITE_BEGIN("unit_names");

TEST_CASE("a scope is named after its session, without anything that needs an escape") {
  CHECK(scope_name("1a2b3c4d") == "app-agentctl-1a2b3c4d.scope");
}

TEST_CASE("only eight lower-case hex digits are the id of a session") {
  CHECK(is_session_id("1a2b3c4d"));
  for (const char* text : {"", "1a2b3c4", "1a2b3c4d5", "1A2B3C4D", "1a2b3c4g", "../../xx", "1a2b3c4-"}) {
    CAPTURE(text);
    CHECK_FALSE(is_session_id(text));
  }
}

TEST_CASE("kinds of managers are written as they are read") {
  for (const char* text : {"auto", "user", "system", "private"}) {
    const auto kind = parse_manager_kind(text);
    REQUIRE(kind.has_value());
    CHECK(std::string(to_string(*kind)) == text);
  }
  const auto kind = parse_manager_kind("automatic");
  REQUIRE_FALSE(kind.has_value());
  CHECK(kind.error().kind == ErrorKind::usage);
}

TEST_CASE("only the cgroup of a session's scope is taken for one") {
  CHECK(is_session_scope("/user.slice/app-agentctl.slice/app-agentctl-1a2b3c4d.scope"));
  for (const char* other : {"/", "", "/app-agentctl-1a2b3c4d.scope/below", "/x-app-agentctl-1a2b3c4d.scope",
                            "/app-agentctl-1A2B3C4D.scope", "/app-agentctl-1a2b3c4.scope", "/app.slice", ".scope"}) {
    CHECK_FALSE_MESSAGE(is_session_scope(other), other);
  }
}

TEST_SUITE_END();

}  // namespace agentctl::units
