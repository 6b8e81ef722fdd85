// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "base/quantity.h"
#include "tests/support/fake_systemd.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {

using test::FakeSystemd;

TEST_SUITE_BEGIN("scope_change");

TEST_CASE("limits of a running scope are set for its run time, without what cannot be changed") {
  FakeSystemd systemd({});
  const auto manager = SystemdScopeManager::connect(systemd.take_client(), false, true, {});
  REQUIRE(manager.has_value());
  ScopeLimits limits;
  limits.memory_max = 4096;
  limits.memory_high = 2048;
  limits.tasks_max = kInfinity;
  limits.cpu_weight = 100;
  limits.io_weight = 20;
  CHECK((*manager)->set_limits("x.scope", limits).has_value());
  CHECK(systemd.calls() ==
        std::vector<std::string>{"SetUnitProperties x.scope runtime MemoryMax=4096 MemorySwapMax=0 "
                                 "TasksMax=18446744073709551615 CPUQuotaPerSecUSec=0 CPUWeight=100 MemoryHigh=2048 "
                                 "IOWeight=20"});
}

TEST_CASE("stopping waits for the job and resets the unit") {
  FakeSystemd systemd({});
  const auto manager = SystemdScopeManager::connect(systemd.take_client(), false, true, {});
  REQUIRE(manager.has_value());
  CHECK((*manager)->stop("x.scope").has_value());
  CHECK(systemd.calls() == std::vector<std::string>{"StopUnit x.scope", "ResetFailedUnit x.scope"});
}

TEST_CASE("drop-ins are listed without those that the manager wrote itself") {
  FakeSystemd systemd({});
  const auto manager = SystemdScopeManager::connect(systemd.take_client(), false, true, {});
  REQUIRE(manager.has_value());
  const auto files = (*manager)->drop_ins("x.scope");
  REQUIRE(files.has_value());
  CHECK(*files == std::vector<std::string>{"/root/.config/systemd/user/app-agentctl-.scope.d/10.conf"});
}

TEST_SUITE_END();

}  // namespace agentctl::units
