// SPDX-License-Identifier: Apache-2.0
#include "manager/outer_session.h"

#include <doctest/doctest.h>

namespace agentctl::manager {

TEST_SUITE("outer_session") {
  TEST_CASE("a process in a session's scope with the session's variable is inside") {
    CHECK(is_below_session(
        "1", "0::/user.slice/user@1000.service/app.slice/app-agentctl.slice/app-agentctl-1a2b3c4d.scope\n"));
    CHECK(is_below_session(
        "1", "5:memory:/x\n1:name=systemd:/app.slice/app-agentctl.slice/app-agentctl-1a2b3c4d.scope\n0::/\n"));
  }

  TEST_CASE("neither the variable nor the cgroup alone is enough") {
    CHECK_FALSE(is_below_session("1", "0::/user.slice/user@1000.service/app.slice/vte.scope\n"));
    CHECK_FALSE(is_below_session("1", "0::/app-agentctl.slice\n"));
    CHECK_FALSE(
        is_below_session("/usr/bin/agentctl", "0::/app.slice/app-agentctl.slice/app-agentctl-1a2b3c4d.scope\n"));
    CHECK_FALSE(is_below_session("", ""));
  }
}

}  // namespace agentctl::manager
