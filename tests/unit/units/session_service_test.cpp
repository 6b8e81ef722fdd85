// SPDX-License-Identifier: Apache-2.0
#include "units/session_service.h"

#include <unistd.h>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/support/fake_systemd.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {
namespace {

using test::FakeBehaviour;
using test::FakeSystemd;

SessionService some_service() {
  return {"agentctl-session-1a2b3c4d.service", "app.slice", "a test", {"/usr/bin/agentctl", "supervise"}, {0}};
}

Result<void> start_with(FakeSystemd& systemd, const Deadlines& deadlines = {5000, 5000}) {
  constexpr bool kMessageBus = false;
  constexpr bool kSamePidNamespace = true;
  auto manager =
      AGENTCTL_TRY(SystemdScopeManager::connect(systemd.take_client(), kMessageBus, kSamePidNamespace, deadlines));
  return manager->start_service(some_service());
}

std::string message_of(const Result<void>& result) { return result ? "started" : result.error().message; }

}  // namespace

TEST_SUITE_BEGIN("session_service");

TEST_CASE("a service is asked for with its program, its standard input and who is told to end") {
  FakeSystemd systemd({});
  const auto started = start_with(systemd);
  REQUIRE_MESSAGE(started.has_value(), message_of(started));
  REQUIRE(systemd.calls().size() == 1);
  CHECK(systemd.calls()[0] ==
        "StartTransientUnit agentctl-session-1a2b3c4d.service fail Description=a test Type=exec "
        "ExecStart=/usr/bin/agentctl:/usr/bin/agentctl,supervise StandardInputFileDescriptor=fd StandardOutput=null "
        "StandardError=journal SyslogIdentifier=agentctl CollectMode=inactive-or-failed KillMode=mixed "
        "TimeoutStopUSec=25000000 OOMPolicy=continue Slice=app.slice");
}

TEST_CASE("nothing that the session is made of is among the properties of its service") {
  for (const ScopeProperty& property : service_properties(some_service())) {
    CHECK(property.name.find("Environment") == std::string::npos);
    CHECK(property.name != "WorkingDirectory");
    CHECK_FALSE(property.optional);
  }
}

TEST_CASE("a service whose program cannot be executed is told in words of its own, and leaves no unit") {
  FakeSystemd systemd({.job_result = "failed"});
  const auto started = start_with(systemd);
  CHECK(message_of(started) ==
        "cannot start the service 'agentctl-session-1a2b3c4d.service': the service manager could not execute agentctl");
  CHECK(systemd.count("StopUnit") == 1);
  CHECK(systemd.count("ResetFailedUnit") == 1);
}

TEST_CASE("a service that is refused is not stopped: there is none") {
  FakeSystemd systemd({.unit_exists_times = 1});
  CHECK(message_of(start_with(systemd)).find("already exists") != std::string::npos);
  CHECK(systemd.count("StopUnit") == 0);
}

TEST_CASE("a service whose job does not end is stopped") {
  FakeSystemd systemd({.job_result = ""});
  CHECK(message_of(start_with(systemd, {5000, 150})).find("did not end within 150 ms") != std::string::npos);
}

TEST_CASE("a scope that is bound to a service is stopped after it") {
  ScopeRequest request;
  for (const ScopeProperty& property : scope_properties(request)) CHECK(property.name != "BindsTo");
  request.bound_to = "agentctl-session-1a2b3c4d.service";
  int found = 0;
  for (const ScopeProperty& property : scope_properties(request)) {
    if (property.name == "BindsTo" || property.name == "Before") ++found;
    if (property.name == "After") FAIL("it would be stopped before the supervisor could end the session");
  }
  CHECK(found == 2);
}

TEST_SUITE_END();

}  // namespace agentctl::units
