// SPDX-License-Identifier: Apache-2.0
#include "manager/session_view.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "base/text.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {
namespace {

SessionView sample_view() {
  SessionView view;
  view.record = sample_record();
  view.state = "running";
  view.effective.memory_max = 2ULL << 30;
  view.effective.memory_swap_max = 0;
  view.effective.cpu_quota_per_sec_usec = 1'500'000;
  view.effective.tasks_max = 4096;
  view.usage.memory = 100ULL << 20;
  view.usage.cpu_usec = 5'000'000;
  view.usage.tasks = 9;
  return view;
}

std::uint64_t later() { return sample_record().started_usec + 3'600'000'000ULL; }
bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("session_view") {
  TEST_CASE("the table has a head, a line a session, and columns one below the other") {
    SessionView longer = sample_view();
    longer.record.name = "a-much-longer-name-of-a-session";
    const auto lines = split(session_table({sample_view(), longer}, later()), '\n');
    REQUIRE(lines.size() == 4);  // the last is empty
    CHECK(lines[0].starts_with("NAME"));
    CHECK(lines[0].find("STATE") == lines[1].find("running"));
    CHECK(lines[1].find("running") == lines[2].find("running"));
    CHECK(says(lines[1], "1h"));
    CHECK(says(lines[1], "100.0M/2.0G"));
    CHECK(says(lines[1], "9/4096"));
    CHECK(says(lines[1], "/home/ada/webshop"));
  }

  TEST_CASE("what the kernel does not tell is a dash") {
    SessionView bare = sample_view();
    bare.effective = {};
    bare.usage = {};
    CHECK(says(session_table({bare}, later()), "-/-"));
    CHECK(says(session_details(bare, later()), "effective -"));
  }

  TEST_CASE("a name of a directory cannot move the cursor or add a line") {
    SessionView hostile = sample_view();
    hostile.record.project = "/home/ada/\x1b[2Ja\nclaude-x  running";
    hostile.record.command = {"sh", "\x1b]0;title\x07"};
    hostile.warnings = {"\x1b[1m"};
    for (const std::string& text : {session_table({hostile}, later()), session_details(hostile, later())}) {
      CHECK_FALSE(says(text, "\x1b"));
      CHECK_FALSE(says(text, "\x07"));
      CHECK_FALSE(says(text, "\nclaude-x"));
    }
  }

  TEST_CASE("a start in the future is not an age of centuries") {
    const std::string text = session_table({sample_view()}, sample_record().started_usec - 1);
    CHECK_FALSE(says(text, "y "));
  }

  TEST_CASE("the details put effective limits next to those asked for") {
    SessionView view = sample_view();
    view.effective.memory_max = 1ULL << 30;
    const std::string text = session_details(view, later());
    CHECK(says(text, "memory-max   asked 2.0G, effective 1.0G"));
    CHECK(says(text, "memory-high  asked 1.0G"));
    CHECK(says(text, "cpu-quota    asked 150%, effective 150%"));
    CHECK(says(text, "/sys/fs/cgroup/user.slice/app-agentctl-1a2b3c4d.scope (id 9876)"));
  }

  TEST_CASE("a session without limits is shown to have none") {
    SessionView view = sample_view();
    view.record.unlimited = true;
    const std::string text = session_details(view, later());
    CHECK(says(text, "--no-limits"));
    CHECK_FALSE(says(text, "asked 2.0G"));
    CHECK(says(session_json(view), R"("asked":{"memory-max":null)"));
  }

  TEST_CASE("the JSON names what was asked, what holds and whose it is") {
    SessionView view = sample_view();
    view.record.door = sample_door();
    const std::string json = session_json(view);
    for (
        const char* part :
        {R"("name":"claude-webshop","id":"1a2b3c4d","state":"running")", R"("command":["claude","--continue"])",
         R"("parent":{"kind":"caller","pid":4700})", R"("pids":{"supervisor":4711,"leader":4715})",
         R"("cgroup":{"path":"/sys/fs/cgroup/user.slice/app-agentctl-1a2b3c4d.scope","id":9876,"version":2})",
         R"("effective":{"memory-max":2147483648,"memory-high":null,"swap-max":0)",
         R"("network":{"mode":"host","allowed":12,"denied":3,"published":[],)"
         R"("allow":["*.example.com","example.org:22"],"deny":["x.example.com"],)"
         R"("last_denial":{"text":"'a.net:443' is denied: no rule allows it","remedy":"agentctl allow claude-webshop a.net"}})"}) {
      CHECK_MESSAGE(says(json, part), json);
    }
  }

  TEST_CASE("of an allowlist the details tell what was changed, what was decided and what to type") {
    SessionView view = sample_view();
    view.record.door = sample_door();
    CHECK_FALSE(says(session_details(view, later()), "to allow it"));
    view.record.network = "allowlist";
    view.record.published = {"3000"};
    const std::string text = session_details(view, later());
    CHECK(says(text,
               "\nnetwork    allowlist, published 3000: rules: 2 allow, 1 deny; connections: 12 let through, 3 denied\n"
               "changed    allow example.org:22\n"
               "denied     'a.net:443' is denied: no rule allows it\n"
               "           to allow it: agentctl allow claude-webshop a.net\n"
               "pids "));
    view.record.door = {};
    CHECK_FALSE(says(session_details(view, later()), "denied     "));
    CHECK(says(session_json(view), R"("deny":["x.example.com"],"last_denial":null})"));
  }

  TEST_CASE("what the door tells of a host cannot move the cursor or add a line") {
    SessionView hostile = sample_view();
    hostile.record.network = "allowlist";
    hostile.record.door = {1, 1, "'\x1b[2J:443' is denied\nclaude-x  running", "agentctl allow \x1b]0;t\x07"};
    const std::string text = session_details(hostile, later());
    CHECK_FALSE(says(text, "\x1b"));
    CHECK_FALSE(says(text, "\nclaude-x"));
  }

  TEST_CASE("a cgroup that is gone is told, and its last owner's limits are not shown as holding") {
    Record record = sample_record();
    record.cgroup_path = "/there-is-no-such-cgroup/app-agentctl-1a2b3c4d.scope";
    const SessionView view = view_session(record);
    CHECK(std::find(view.warnings.begin(), view.warnings.end(), "its cgroup is gone") != view.warnings.end());
    CHECK_FALSE(view.effective.memory_max.has_value());
  }
}

}  // namespace agentctl::manager
