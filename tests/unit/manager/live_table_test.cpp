// SPDX-License-Identifier: Apache-2.0
#include "manager/live_table.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

SessionView sample_view(const std::string& id = "1a2b3c4d") {
  SessionView view;
  view.record = sample_record();
  view.record.id = id;
  view.state = "running";
  view.effective.memory_max = 2ULL << 30;
  view.effective.cpu_quota_per_sec_usec = 1'500'000;
  view.effective.tasks_max = kInfinity;
  view.usage.memory = 1ULL << 30;
  view.usage.cpu_usec = 5 * kSecond;
  view.usage.tasks = 9;
  return view;
}

std::uint64_t now() { return sample_record().started_usec + 65 * kSecond; }
bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("live_table") {
  TEST_CASE("bars show the share of each limit, and CPU what was used since the picture before") {
    LiveTable table;
    SessionView view = sample_view();
    auto lines = table.draw({view}, {160, 24, false}, now(), kSecond);
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].starts_with("NAME"));
    CHECK(says(lines[1], "1min 5s"));
    CHECK(says(lines[1], "] 1.0G/2.0G"));
    CHECK(says(lines[1], "] -/150%"));
    CHECK(says(lines[1], "[                    ] 9/no limit"));
    view.usage.cpu_usec = 5 * kSecond + 1'500'000;
    lines = table.draw({view}, {160, 24, false}, now(), 3 * kSecond);
    CHECK(says(lines[1], "[##########          ] 75%/150%"));
  }

  TEST_CASE("no line is wider than the window, and there are no more than fit") {
    const std::vector<SessionView> views(30, sample_view());
    for (const std::size_t columns : {1UL, 10UL, 79UL, 80UL, 110UL, 300UL}) {
      for (const std::size_t rows : {1UL, 2UL, 4UL, 10UL}) {
        LiveTable table;
        const auto lines = table.draw(views, {columns, rows, false}, now(), kSecond);
        CHECK(lines.size() <= rows);
        for (const std::string& line : lines) CHECK(line.size() <= columns);
      }
    }
    LiveTable table;
    CHECK(table.draw(views, {80, 10, false}, now(), kSecond).back() == "and 23 more");
  }

  TEST_CASE("a window of eighty columns shows every figure in full, and bars") {
    LiveTable table;
    SessionView view = sample_view();
    view.record.name = "claude-a-project-of-a-long-name";
    view.effective.tasks_max = 4096;
    const auto lines = table.draw({view}, {80, 24, false}, now(), kSecond);
    CHECK(says(lines[0], " TASKS"));
    CHECK(says(lines[1], "+ running"));
    CHECK(says(lines[1], "] 1.0G/2.0G"));
    CHECK(says(lines[1], "] 9/4096"));
  }

  TEST_CASE("a narrow window leaves the bars out before the figures, and the end of a name before those") {
    LiveTable table;
    SessionView view = sample_view();
    view.record.name = "claude-a-project-of-a-long-name";
    view.effective.tasks_max = 4096;
    const auto lines = table.draw({view}, {64, 24, false}, now(), kSecond);
    CHECK_FALSE(says(lines[1], "["));
    CHECK(says(lines[1], "+ running"));
    CHECK(says(lines[1], "1.0G/2.0G"));
    CHECK(says(lines[1], "9/4096"));
  }

  TEST_CASE("colours are there only where they are wanted, and tell how near a limit is") {
    LiveTable table;
    SessionView view = sample_view();
    CHECK_FALSE(says(join(table.draw({view}, {160, 24, false}, now(), kSecond), ""), "\x1b"));
    CHECK(says(table.draw({view}, {160, 24, true}, now(), kSecond)[1], "\x1b[32m##########\x1b[m"));
    view.usage.memory = 3ULL << 29;
    CHECK(says(table.draw({view}, {160, 24, true}, now(), kSecond)[1], "\x1b[33m"));
    view.usage.memory = 4ULL << 30;
    CHECK(says(table.draw({view}, {160, 24, true}, now(), kSecond)[1], "\x1b[31m####################\x1b[m"));
  }

  TEST_CASE("a cgroup that begins anew, and a session without figures, draw no nonsense") {
    LiveTable table;
    SessionView view = sample_view();
    (void)table.draw({view}, {160, 24, false}, now(), kSecond);
    view.usage.cpu_usec = 0;
    CHECK(says(table.draw({view}, {160, 24, false}, 0, 2 * kSecond)[1], "] -/150%"));
    view.usage = {};
    view.effective = {};
    CHECK(says(table.draw({view}, {160, 24, false}, 0, 3 * kSecond)[1], "-/-"));
    CHECK(table.draw({}, {160, 24, false}, 0, 3 * kSecond)[1] == "no session is running");
  }
}

}  // namespace agentctl::manager
