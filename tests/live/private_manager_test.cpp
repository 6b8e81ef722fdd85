// SPDX-License-Identifier: Apache-2.0
// With a real systemd on the real kernel: a private manager, so that it runs on machines that systemd did not boot.
#include <poll.h>
#include <sys/mman.h>

#include <cstring>

#include <doctest/doctest.h>

#include "base/event_loop.h"
#include "base/process.h"
#include "base/quantity.h"
#include "base/text.h"
#include "tests/live/held_process.h"
#include "tests/support/scratch_dir.h"
#include "units/cgroup.h"
#include "units/manager_connection.h"
#include "units/scope_broker.h"
#include "units/subtree_removal.h"
#include "units/unit_name.h"

namespace agentctl::units {
namespace {

using test::HeldProcess;

constexpr const char* kId = "00c0ffee";
constexpr int kGoneMsec = 2000;

std::vector<std::string> leftovers() { return find_cgroups("/sys/fs/cgroup", cat("agentctl-private-", kId)); }

// A private manager and the broker that it is spoken to through.
struct Connected {
  ScopeBroker broker;
  Result<std::unique_ptr<ManagerConnection>> manager;
};

Connected connect_private(const Deadlines& deadlines = {}) {
  auto broker = ScopeBroker::fork();
  REQUIRE(broker.has_value());
  REQUIRE(broker->begin_connect(ManagerKind::private_manager, deadlines).has_value());
  auto manager = connect_manager(*broker, kId, deadlines);
  return {std::move(*broker), std::move(manager)};
}

Connected start_manager(const Deadlines& deadlines = {}) {
  remove_private_subtree(kId);  // of an earlier run that was interrupted
  Connected connected = connect_private(deadlines);
  REQUIRE_MESSAGE(connected.manager.has_value(), connected.manager.error().message);
  return connected;
}

ScopeRequest request_for(pid_t pid) {
  ScopeRequest request;
  request.unit = scope_name(kId);
  request.slice = kSlice;
  request.description = "a test";
  request.pids = {pid};
  request.limits.memory_max = 32U << 20;
  request.limits.memory_swap_max = 0;
  request.limits.cpu_quota_per_sec_usec = 1'250'000;
  request.limits.cpu_weight = 33;
  request.limits.tasks_max = 77;
  return request;
}

Cgroup start_scope(ManagerConnection& manager, const ScopeRequest& request) {
  for (const pid_t pid : request.pids) REQUIRE(manager.adopt(pid).has_value());
  const auto started = manager.scopes().start(request);
  REQUIRE_MESSAGE(started.has_value(), started.error().message);
  auto cgroup = Cgroup::open(manager.cgroup_prefix() + started->control_group);
  REQUIRE_MESSAGE(cgroup.has_value(), cgroup.error().message);
  return std::move(*cgroup);
}

bool ends_soon(const UniqueFd& pidfd) {
  pollfd ended{pidfd.get(), POLLIN, 0};
  return ::poll(&ended, 1, kGoneMsec) == 1;
}

bool becomes_empty(const Cgroup& cgroup) {
  const std::uint64_t deadline = monotonic_usec() + kGoneMsec * 1000U;
  const auto events = cgroup.open_events();
  while (cgroup.populated() && monotonic_usec() < deadline) {
    pollfd changed{events ? events->get() : -1, POLLPRI, 0};
    ::poll(&changed, 1, 20);
  }
  return !cgroup.populated();
}

void use_much_memory() {
  constexpr std::size_t kBytes = 128U << 20;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory != MAP_FAILED) std::memset(memory, 1, kBytes);
}

}  // namespace

TEST_SUITE_BEGIN("private_manager");

TEST_CASE("a scope holds its process under the limits asked for, is killed whole and leaves nothing") {
  const auto own = read_membership(::getpid());
  {
    const Connected connected = start_manager();
    const auto& manager = *connected.manager;
    CHECK(manager->kind() == ManagerKind::private_manager);
    const HeldProcess child;
    const ScopeRequest request = request_for(child.pid());
    const Cgroup cgroup = start_scope(*manager, request);
    const auto differences = compare_limits(request.limits, cgroup.read_limits(), cgroup.version());
    for (const LimitDifference& difference : differences) FAIL_CHECK(difference.knob, " found ", difference.found);
    CHECK(prove_membership(child.pid(), cgroup, true).has_value());
    CHECK_FALSE(prove_membership(::getpid(), cgroup, true).has_value());
    CHECK(cgroup.pids() == std::vector<pid_t>{child.pid()});
    CHECK(cgroup.read_usage().tasks == 1U);
    CHECK(cgroup.kill().has_value());
    CHECK(becomes_empty(cgroup));
    CHECK(manager->scopes().stop(request.unit).has_value());
    CHECK(manager->scopes().stop(request.unit).has_value());
    CHECK_FALSE(cgroup.exists());
    CHECK(cgroup.kill().has_value());
  }
  CHECK(leftovers().empty());
  const auto now = read_membership(::getpid());
  REQUIRE((own.has_value() && now.has_value()));
  CHECK(now->memory == own->memory);
  CHECK(now->unified == own->unified);
}

TEST_CASE("the memory limit is enforced and the kill is counted") {
  const Connected connected = start_manager();
  const auto& manager = *connected.manager;
  HeldProcess child(use_much_memory);
  const HeldProcess keeper;  // so that the scope outlives the one that is killed
  ScopeRequest request = request_for(child.pid());
  request.pids.push_back(keeper.pid());
  const Cgroup cgroup = start_scope(*manager, request);
  child.release();
  const int status = child.wait();
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
  const CgroupUsage usage = cgroup.read_usage();
  CHECK(usage.oom_kills >= 1);
  CHECK(usage.memory_peak.value_or(0) <= request.limits.memory_max);
  CHECK(cgroup.pids() == std::vector<pid_t>{keeper.pid()});  // OOMPolicy=continue: nobody else died
}

TEST_CASE("a drop-in that lifts a limit is found by the read-back, and by name") {
  const test::ScratchDir home;
  const std::string drop_in =
      home.write(".config/systemd/user/app-agentctl-.scope.d/10.conf", "[Scope]\nMemoryMax=infinity\n");
  const std::string real_home = ::getenv("HOME") != nullptr ? ::getenv("HOME") : "/root";
  ::setenv("HOME", home.path().c_str(), 1);
  const Connected connected = start_manager();
  const auto& manager = *connected.manager;
  ::setenv("HOME", real_home.c_str(), 1);
  const HeldProcess child;
  const ScopeRequest request = request_for(child.pid());
  const Cgroup cgroup = start_scope(*manager, request);
  const auto differences = compare_limits(request.limits, cgroup.read_limits(), cgroup.version());
  REQUIRE(differences.size() == 1);
  CHECK(differences[0].knob == "memory-max");
  CHECK(differences[0].found == "infinity");
  CHECK(manager->scopes().drop_ins(request.unit).value() == std::vector<std::string>{drop_in});
  CHECK(manager->scopes().set_limits(request.unit, request.limits).has_value());
  CHECK(compare_limits(request.limits, cgroup.read_limits(), cgroup.version()).empty());
}

TEST_CASE("a process that has ended cannot be put into a scope") {
  const Connected connected = start_manager();
  const auto& manager = *connected.manager;
  HeldProcess child;
  const pid_t pid = child.pid();
  child.release();
  (void)child.wait();
  CHECK_FALSE(manager->adopt(pid).has_value());
  const auto started = manager->scopes().start(request_for(pid));
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().kind == ErrorKind::bus);
}

TEST_CASE("a manager that is stopped fails the start within the deadline, and leaves no scope when it goes on") {
  const Connected connected = start_manager({.call_msec = 300, .job_msec = 10000});
  const auto& manager = *connected.manager;
  const HeldProcess child;
  REQUIRE(manager->adopt(child.pid()).has_value());
  REQUIRE(::kill(manager->manager_pid(), SIGSTOP) == 0);
  const std::uint64_t begun = monotonic_usec();
  const auto started = manager->scopes().start(request_for(child.pid()));
  CHECK(monotonic_usec() - begun < 1'500'000);
  ::kill(manager->manager_pid(), SIGCONT);
  REQUIRE_FALSE(started.has_value());
  CHECK(started.error().message.find("did not answer within 300 ms") != std::string::npos);
  // What we asked for before is dealt with first: the request to start, then the one to stop.
  CHECK(manager->scopes().stop(scope_name(kId)).has_value());
  const auto membership = read_membership(child.pid());
  REQUIRE(membership.has_value());
  CHECK(membership->unified.find(scope_name(kId)) == std::string::npos);
  CHECK(membership->memory.find(scope_name(kId)) == std::string::npos);
}

TEST_CASE("a private manager dies with the process that started it, and its cgroups can be swept") {
  static int report = -1;  // the work of a held process takes no arguments
  auto pipe = make_pipe();
  REQUIRE(pipe.has_value());
  report = pipe->write_end.get();
  UniqueFd pidfd;
  {
    HeldProcess supervisor([] {
      const Connected connected = connect_private();
      const pid_t pid = connected.manager ? (*connected.manager)->manager_pid() : 0;
      (void)!::write(report, &pid, sizeof pid);
      ::pause();
    });
    supervisor.release();
    pid_t pid = 0;
    CHECK(::read(pipe->read_end.get(), &pid, sizeof pid) == sizeof pid);
    REQUIRE(pid > 0);
    auto opened = open_pidfd(pid);
    REQUIRE(opened.has_value());
    pidfd = std::move(*opened);
  }  // killed here
  CHECK(ends_soon(pidfd));
  CHECK_FALSE(leftovers().empty());
  remove_private_subtree(kId);
  CHECK(leftovers().empty());
}

TEST_CASE("processes left in a scope end with the manager") {
  HeldProcess child;
  {
    const Connected connected = start_manager();
    const auto& manager = *connected.manager;
    (void)start_scope(*manager, request_for(child.pid()));
  }
  const int status = child.wait();
  CHECK(WIFSIGNALED(status));
  CHECK(leftovers().empty());
}

TEST_CASE("two private managers of one session are refused") {
  const Connected first = start_manager();
  const Connected second = connect_private();
  REQUIRE_FALSE(second.manager.has_value());
  CHECK(second.manager.error().kind == ErrorKind::environment);
  CHECK_FALSE(leftovers().empty());  // the first one's stand
}

TEST_SUITE_END();

}  // namespace agentctl::units
