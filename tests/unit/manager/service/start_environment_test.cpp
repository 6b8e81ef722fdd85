// SPDX-License-Identifier: Apache-2.0
#include "manager/service/start_environment.h"

#include <doctest/doctest.h>

namespace agentctl::manager::service {
namespace {

using Variables = std::vector<std::string>;

}  // namespace

TEST_SUITE("start_environment") {
  TEST_CASE("the service manager's variables count, as they are now") {
    CHECK(start_environment(Variables{"PATH=/new", "DISPLAY=:1"}, {"PATH=/old", "HOME=/home/ada"}) ==
          Variables{"PATH=/new", "DISPLAY=:1"});
  }

  TEST_CASE("records and bus stay where this service has them") {
    CHECK(start_environment(Variables{"A=1", "XDG_RUNTIME_DIR=/run/other", "DBUS_SESSION_BUS_ADDRESS=other"},
                            {"XDG_RUNTIME_DIR=/run/user/1000", "B=2", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x"}) ==
          Variables{"A=1", "XDG_RUNTIME_DIR=/run/user/1000", "DBUS_SESSION_BUS_ADDRESS=unix:path=/x"});
  }

  TEST_CASE("without a service manager this process's own count") {
    CHECK(start_environment(std::nullopt, {"PATH=/bin", "HOME=/home/ada"}) == Variables{"PATH=/bin", "HOME=/home/ada"});
  }

  TEST_CASE("what systemd has told this service alone goes to no session") {
    CHECK(start_environment(std::nullopt, {"INVOCATION_ID=1", "JOURNAL_STREAM=8:1", "NOTIFY_SOCKET=/n", "LISTEN_FDS=1",
                                           "MANAGERPID=1", "SYSTEMD_EXEC_PID=2", "DBUS_STARTER_ADDRESS=x", "A=1"}) ==
          Variables{"A=1"});
  }
}

}  // namespace agentctl::manager::service
