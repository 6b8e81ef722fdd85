// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <doctest/doctest.h>

#include "base/event_loop.h"
#include "base/text.h"
#include "tests/support/fake_systemd.h"
#include "units/systemd_scope_manager.h"

namespace agentctl::units {
namespace {

using test::FakeBehaviour;
using test::FakeSystemd;

constexpr Deadlines kShort{150, 150};
constexpr Deadlines kLong{5000, 5000};

ScopeRequest some_request() {
  ScopeRequest request;
  request.unit = "app-agentctl-1a2b3c4d.scope";
  request.slice = "app-agentctl.slice";
  request.description = "a test";
  request.pids = {::getpid()};
  request.limits.memory_max = 64U << 20;
  request.limits.cpu_quota_per_sec_usec = UINT64_MAX;
  request.limits.cpu_weight = 50;
  request.limits.tasks_max = 77;
  return request;
}

Result<ScopeStarted> start_with(FakeSystemd& systemd, const ScopeRequest& request, const Deadlines& deadlines = kLong,
                                bool same_pid_namespace = true) {
  auto manager =
      AGENTCTL_TRY(SystemdScopeManager::connect(systemd.take_client(), false, same_pid_namespace, deadlines));
  return manager->start(request);
}

std::string message_of(const Result<ScopeStarted>& result) { return result ? "started" : result.error().message; }

bool has_call(const FakeSystemd& systemd, std::string_view part) {
  for (const std::string& call : systemd.calls()) {
    if (call.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("scope_start");

TEST_CASE("a scope whose job is done is started, with every limit that was asked for") {
  FakeSystemd systemd({});
  const auto started = start_with(systemd, some_request());
  REQUIRE_MESSAGE(started.has_value(), message_of(started));
  CHECK(started->control_group == "/app.slice/x.scope");
  CHECK(started->manager_version == 252);
  CHECK(started->dropped.empty());
  REQUIRE(systemd.calls().size() == 1);
  CHECK(systemd.calls()[0] ==
        cat("StartTransientUnit app-agentctl-1a2b3c4d.scope fail Description=a test Slice=app-agentctl.slice "
            "CollectMode=inactive-or-failed TimeoutStopUSec=5000000 MemoryMax=67108864 MemorySwapMax=0 TasksMax=77 "
            "CPUQuotaPerSecUSec=18446744073709551615 CPUWeight=50 OOMPolicy=continue PIDs=",
            ::getpid()));
}

TEST_CASE("a version that knows them is sent pidfds instead of numbers") {
  FakeSystemd systemd({.version = "255.4-1"});
  const auto started = start_with(systemd, some_request());
  REQUIRE_MESSAGE(started.has_value(), message_of(started));
  CHECK(has_call(systemd, " PIDFDs=fd"));
  CHECK_FALSE(has_call(systemd, " PIDs="));
}

TEST_CASE("a version that claims pidfds and refuses them is sent numbers") {
  FakeSystemd systemd({.version = "255.4-1", .unknown_properties = {"PIDFDs"}});
  const auto started = start_with(systemd, some_request());
  REQUIRE_MESSAGE(started.has_value(), message_of(started));
  CHECK(started->dropped.empty());
  CHECK(has_call(systemd, " PIDs="));
}

TEST_CASE("a manager in another pid namespace is never sent numbers") {
  FakeSystemd systemd({});
  const auto started = start_with(systemd, some_request(), kLong, false);
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().kind == ErrorKind::environment);
  CHECK(message_of(started).find("pid namespace") != std::string::npos);
  CHECK(systemd.calls().empty());
}

TEST_CASE("every other job result fails the start in a sentence of its own and leaves no unit") {
  std::vector<std::string> sentences;
  for (const char* result : {"canceled", "timeout", "failed", "dependency", "skipped", "invalid", "assert",
                             "unsupported", "collected", "once", "frozen", "concurrency", "invented"}) {
    CAPTURE(result);
    FakeSystemd systemd({.job_result = result});
    const auto started = start_with(systemd, some_request());
    REQUIRE_FALSE(started.has_value());
    CHECK(started.error().kind == ErrorKind::bus);
    CHECK(systemd.count("StopUnit") == 1);
    CHECK(systemd.count("ResetFailedUnit") == 1);
    for (const std::string& earlier : sentences) CHECK(earlier != message_of(started));
    sentences.push_back(message_of(started));
  }
}

TEST_CASE("a signal before the reply counts") {
  FakeSystemd systemd({.signal_before_reply = true});
  const auto started = start_with(systemd, some_request());
  CHECK_MESSAGE(started.has_value(), message_of(started));
}

TEST_CASE("signals for other jobs, before and after the reply, do not count") {
  FakeSystemd systemd({.other_job_fails_first = true});
  const auto started = start_with(systemd, some_request());
  CHECK_MESSAGE(started.has_value(), message_of(started));
}

TEST_CASE("only a signal for another job is no end of ours") {
  FakeSystemd systemd({.job_result = "", .active_state = "inactive", .other_job_fails_first = true});
  const auto started = start_with(systemd, some_request(), {5000, 150});
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started).find("did not end within 150 ms") != std::string::npos);
}

TEST_CASE("a signal that never comes is made up for by the unit itself") {
  FakeSystemd systemd({.job_result = ""});
  const auto started = start_with(systemd, some_request(), {5000, 150});
  CHECK_MESSAGE(started.has_value(), message_of(started));
}

TEST_CASE("a left-over unit of the name is reset and the start tried once more") {
  FakeSystemd systemd({.unit_exists_times = 1});
  const auto started = start_with(systemd, some_request());
  REQUIRE_MESSAGE(started.has_value(), message_of(started));
  CHECK(systemd.count("ResetFailedUnit") == 1);
  CHECK(systemd.count("StartTransientUnit") == 2);
}

TEST_CASE("a unit of the name that stays is an error and is not stopped") {
  FakeSystemd systemd({.unit_exists_times = 9});
  const auto started = start_with(systemd, some_request());
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started).find("already exists") != std::string::npos);
  CHECK(systemd.count("StartTransientUnit") == 2);
  CHECK(systemd.count("StopUnit") == 0);
}

TEST_CASE("an optional property that the version does not know is dropped and told") {
  for (const bool nameless : {false, true}) {
    FakeSystemd systemd({.unknown_properties = {"OOMPolicy"}, .nameless_refusal = nameless});
    const auto started = start_with(systemd, some_request());
    REQUIRE_MESSAGE(started.has_value(), message_of(started));
    CHECK(started->dropped == std::vector<std::string>{"OOMPolicy"});
  }
}

TEST_CASE("a limit that is refused fails the start and is not dropped") {
  for (const char* limit : {"MemoryMax", "MemorySwapMax", "TasksMax", "CPUQuotaPerSecUSec", "CPUWeight", "Slice"}) {
    CAPTURE(limit);
    FakeSystemd systemd({.unknown_properties = {limit}});
    const auto started = start_with(systemd, some_request());
    REQUIRE_FALSE(started.has_value());
    CHECK(message_of(started).find(limit) != std::string::npos);
    CHECK(systemd.count("StartTransientUnit") == 1);
  }
}

TEST_CASE("a connection that breaks fails the start at once") {
  FakeSystemd systemd({.hang_up_at_start = true});
  const std::uint64_t begun = monotonic_usec();
  const auto started = start_with(systemd, some_request());
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().kind == ErrorKind::bus);
  CHECK(monotonic_usec() - begun < 4'000'000);
}

TEST_CASE("no answer until the deadline is an error, and the unit is told to stop") {
  FakeSystemd systemd({.silent_at_start = true});
  const auto started = start_with(systemd, some_request(), kShort);
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started).find("did not answer within 150 ms") != std::string::npos);
}

TEST_CASE("a manager that accepts and says nothing ends the connecting at the deadline") {
  FakeSystemd systemd({.silent = true});
  const auto started = start_with(systemd, some_request(), kShort);
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started).find("did not answer within 150 ms") != std::string::npos);
}

TEST_CASE("a unit that is not active although its job was done fails the start") {
  FakeSystemd systemd({.active_state = "inactive"});
  const auto started = start_with(systemd, some_request());
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started).find("'inactive'") != std::string::npos);
  CHECK(systemd.count("StopUnit") == 1);
}

TEST_CASE("a refusal of another kind is passed on without a retry") {
  FakeSystemd systemd({.start_refused_for_good = true});
  const auto started = start_with(systemd, some_request());
  REQUIRE_FALSE(started.has_value());
  CHECK(message_of(started) == "cannot start the scope 'app-agentctl-1a2b3c4d.scope': Invalid argument");
  CHECK(systemd.count("StartTransientUnit") == 1);
}

TEST_CASE("a manager without a version that can be read is refused") {
  FakeSystemd systemd({.version = "unknown"});
  CHECK_FALSE(start_with(systemd, some_request()).has_value());
}

TEST_SUITE_END();

}  // namespace agentctl::units
