// SPDX-License-Identifier: Apache-2.0
#include "manager/service/session_watch.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/text.h"
#include "manager/session_dir.h"
#include "manager/state_dirs.h"
#include "tests/support/scratch_dir.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kLongUsec = 20'000'000;

// A child of the test's that only waits: the supervisor of a record.
class Sleeper {
 public:
  Sleeper() : pid_(::fork()) {
    if (pid_ == 0) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (pid_ == 0) ::pause();
    REQUIRE(pid_ > 0);
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  [[nodiscard]] ProcessIdentity identity() const { return *identify_process(pid_); }

 private:
  pid_t pid_;
};

// Runtime and state directories of the test's own; what else runs on this machine is not listened to.
struct House {
  House() {
    ::setenv("XDG_RUNTIME_DIR", scratch.path().c_str(), 1);
    ::setenv("XDG_STATE_HOME", (scratch.path() + "/state").c_str(), 1);
    runtime.emplace(*open_runtime_dir());
  }
  ~House() {
    ::unsetenv("XDG_RUNTIME_DIR");
    ::unsetenv("XDG_STATE_HOME");
  }

  Record record(const std::string& id) const {
    Record record = sample_record();
    record.id = id;
    record.name = cat("s-", id);
    record.supervisor = sleeper.identity();
    record.boot_id = *boot_id();
    record.cgroup_path.clear();
    return record;
  }
  SessionDir add(const Record& made) const {
    auto dir = SessionDir::create(*runtime, made);
    REQUIRE_MESSAGE(dir.has_value(), dir.error().message);
    return std::move(*dir);
  }
  void watch() {
    auto started = SessionWatch::start(loop, [this] { ++sweeps; });
    REQUIRE_MESSAGE(started.has_value(), started.error().message);
    sessions = std::move(*started);
    sessions->listen([this](const SessionEvent& event) {
      if (event.now.id.starts_with("0000000")) events.push_back(event);
    });
    sessions->look_at_all();
  }
  // Whether so many events have come in time.
  bool hears(std::size_t count) {
    bool is_late = false;
    const auto timer = loop.after(kLongUsec, [&] { is_late = true; });
    REQUIRE(loop.run_until([&] { return is_late || events.size() >= count; }).has_value());
    loop.cancel(timer);
    return events.size() == count;
  }

  test::ScratchDir scratch;
  std::optional<RuntimeDir> runtime;
  Sleeper sleeper;
  EventLoop loop;
  int sweeps = 0;
  std::vector<SessionEvent> events;
  std::unique_ptr<SessionWatch> sessions;
};

}  // namespace

TEST_SUITE("session_watch") {
  TEST_CASE("a session that was there before is told of at the first look") {
    House house;
    const SessionDir dir = house.add(house.record("00000001"));
    house.watch();
    REQUIRE(house.events.size() == 1);
    CHECK(house.events[0].kind == SessionEventKind::added);
    CHECK(house.events[0].now.name == "s-00000001");
    CHECK(house.sessions->find("00000001") != nullptr);
  }

  TEST_CASE("a new session, a change of its record and its end are heard of") {
    House house;
    house.watch();
    Record record = house.record("00000002");
    record.state = "starting";
    std::optional<SessionDir> dir(house.add(record));
    REQUIRE(house.hears(1));
    CHECK(house.events[0].kind == SessionEventKind::added);
    record.state = "running";
    REQUIRE(dir->write(record).has_value());
    REQUIRE(house.hears(2));
    CHECK(house.events[1].kind == SessionEventKind::changed);
    CHECK(house.events[1].before.state == "starting");
    CHECK(house.events[1].now.state == "running");
    dir.reset();
    REQUIRE(house.hears(3));
    CHECK(house.events[2].kind == SessionEventKind::ended);
    CHECK(house.events[2].now.state == "running");
    CHECK_FALSE(house.events[2].receipt.has_value());
    CHECK(house.sessions->find("00000002") == nullptr);
    CHECK(house.sweeps == 0);
  }

  TEST_CASE("the receipt comes with the end") {
    House house;
    std::optional<SessionDir> dir(house.add(house.record("00000003")));
    house.watch();
    (void)house.scratch.write("state/agentctl/receipts/00000003.json", R"({"id":"00000003","cause":"stopped"})");
    dir.reset();
    REQUIRE(house.hears(2));
    REQUIRE(house.events[1].receipt.has_value());
    CHECK(house.events[1].receipt->value["cause"].text == "stopped");
  }

  TEST_CASE("a receipt of another session is not taken for it") {
    House house;
    std::optional<SessionDir> dir(house.add(house.record("00000004")));
    house.watch();
    (void)house.scratch.write("state/agentctl/receipts/00000004.json", R"({"id":"00000003","cause":"stopped"})");
    dir.reset();
    REQUIRE(house.hears(2));
    CHECK_FALSE(house.events[1].receipt.has_value());
  }

  TEST_CASE("a record that is written again as it was is no change") {
    House house;
    const Record record = house.record("00000005");
    const SessionDir dir = house.add(record);
    house.watch();
    REQUIRE(dir.write(record).has_value());
    Record other = record;
    other.warnings = {"new"};
    REQUIRE(dir.write(other).has_value());
    REQUIRE(house.hears(2));
    CHECK(house.events[1].now.warnings == std::vector<std::string>{"new"});
  }

  TEST_CASE("when its supervisor is killed a sweep is asked for, after which it has ended") {
    House house;
    std::optional<SessionDir> dir(house.add(house.record("00000006")));
    house.watch();
    house.sleeper.end();
    bool is_late = false;
    house.loop.after(kLongUsec, [&] { is_late = true; });
    REQUIRE(house.loop.run_until([&] { return is_late || house.sweeps > 0; }).has_value());
    CHECK(house.sweeps == 1);
    CHECK(house.events.size() == 1);
    dir.reset();
    house.sessions->swept();
    CHECK(house.events.back().kind == SessionEventKind::ended);
    CHECK(house.sessions->listing().sessions.empty());
  }

  TEST_CASE("what a sweep cannot remove is no session any more") {
    House house;
    const SessionDir dir = house.add(house.record("00000007"));
    house.watch();
    house.sleeper.end();
    bool is_late = false;
    house.loop.after(kLongUsec, [&] { is_late = true; });
    REQUIRE(house.loop.run_until([&] { return is_late || house.sweeps > 0; }).has_value());
    house.sessions->swept();
    CHECK(house.events.back().kind == SessionEventKind::ended);
    CHECK(house.sweeps == 1);
  }

  TEST_CASE("a record without a supervisor, of another boot or of another id is no session, and is swept") {
    House house;
    Record dead = house.record("00000008");
    dead.supervisor.start_time += 1;
    Record old = house.record("00000009");
    old.boot_id = "0c5e4f6e-0000-4000-8000-0123456789ab";
    const SessionDir one = house.add(dead);
    const SessionDir two = house.add(old);
    const SessionDir three = house.add(house.record("0000000a"));
    REQUIRE(three.write(house.record("0000000b")).has_value());
    house.watch();
    CHECK(house.events.empty());
    CHECK(house.sweeps == 1);
  }

  TEST_CASE("what is not named like a session is not looked at") {
    House house;
    house.watch();
    (void)house.scratch.write("agentctl/notes/record", "ID=0000000c\n");
    const SessionDir dir = house.add(house.record("0000000d"));
    REQUIRE(house.hears(1));
    CHECK(house.events[0].now.id == "0000000d");
    CHECK(house.sweeps == 0);
  }

  TEST_CASE("every listener hears, in their order") {
    House house;
    house.watch();
    std::string order;
    house.sessions->listen([&](const SessionEvent&) { order += '1'; });
    house.sessions->listen([&](const SessionEvent&) { order += '2'; });
    const SessionDir dir = house.add(house.record("0000000e"));
    REQUIRE(house.hears(1));
    CHECK(order == "12");
  }
}

}  // namespace agentctl::manager::service
