// SPDX-License-Identifier: Apache-2.0
#include "manager/receipt.h"

#include <doctest/doctest.h>

#include "base/quantity.h"
#include "base/text.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager {
namespace {

SessionOutcome outcome(EndCause cause, int exit_status) {
  SessionOutcome made;
  made.cause = cause;
  made.exit_status = exit_status;
  made.ended_usec = sample_record().started_usec + 90'000'000;
  made.usage.memory_peak = 512ULL << 20;
  made.usage.cpu_usec = 1'230'000;
  made.usage.tasks_peak = 12;
  return made;
}

std::string line(const SessionOutcome& made, const Record& record = sample_record()) {
  return receipt_line(record, made);
}
bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_SUITE("receipt") {
  TEST_CASE("the line tells the end, the time and what was used of what was allowed") {
    CHECK(line(outcome(EndCause::exited, 7)) ==
          "claude-webshop: exited with 7 after 1min 30s; memory peak 512.0M of 2.0G; CPU 1s 200ms; tasks 12 of 4096");
  }

  TEST_CASE("denials are told with where to read of them, and their absence is not") {
    Record record = sample_record();
    record.door = sample_door();
    CHECK(says(line(outcome(EndCause::exited, 0), record),
               "; network: 12 let through, 3 denied: agentctl logs --net claude-webshop"));
    CHECK(says(receipt_json(record, outcome(EndCause::exited, 0)),
               R"("network":{"mode":"host","allowed":12,"denied":3})"));
    record.door.denied = 0;
    CHECK_FALSE(says(line(outcome(EndCause::exited, 0), record), "network"));
  }

  TEST_CASE("each cause of an end has its own words") {
    CHECK(says(line(outcome(EndCause::exited, 143)), "ended by SIGTERM"));
    CHECK(says(line(outcome(EndCause::exited, 139)), "ended by SIGSEGV"));
    CHECK(says(line(outcome(EndCause::exited, 255)), "exited with 255"));
    CHECK(says(line(outcome(EndCause::exec_failed, 127)), "could not be executed"));
    CHECK(says(line(outcome(EndCause::stopped, 143)), "stopped, ended by SIGTERM"));
    CHECK(says(line(outcome(EndCause::parent_died, 143)), "its parent died"));
    CHECK(says(line(outcome(EndCause::hangup, 129)), "the terminal was closed"));
    CHECK(says(line(outcome(EndCause::time_limit, 143)), "time limit"));
    CHECK(says(line(outcome(EndCause::interrupted, 130)), "interrupted"));
  }

  TEST_CASE("the memory limit is named when it took the agent") {
    SessionOutcome killed = outcome(EndCause::exited, 137);
    killed.usage.oom_kills = 1;
    killed.usage.memory_peak = 2ULL << 30;
    CHECK(says(line(killed), "killed by the memory limit: peak 2.0G of 2.0G"));
  }

  TEST_CASE("a kill by hand is not taken for the memory limit") {
    CHECK_FALSE(says(line(outcome(EndCause::exited, 137)), "memory limit"));
    SessionOutcome survived = outcome(EndCause::exited, 0);
    survived.usage.oom_kills = 2;
    CHECK(says(line(survived), "exited with 0"));
    CHECK(says(line(survived), "2 killed by the memory limit"));
  }

  TEST_CASE("forks that the task limit refused and processes that had to be killed are told") {
    SessionOutcome crowded = outcome(EndCause::stopped, 137);
    crowded.usage.tasks_max_hits = 3;
    crowded.killed = {"sleep (12)", "sh (13)"};
    CHECK(says(line(crowded), "the task limit refused 3 forks"));
    CHECK(says(line(crowded), "had to be killed: sleep (12), sh (13)"));
  }

  TEST_CASE("a session without limits says so and claims no figures") {
    Record record = sample_record();
    record.unlimited = true;
    SessionOutcome bare = outcome(EndCause::exited, 0);
    bare.usage = {};
    CHECK(line(bare, record) == "claude-webshop: exited with 0 after 1min 30s; ran without limits");
  }

  TEST_CASE("a clock set back during the session does not make it last for ages") {
    SessionOutcome early = outcome(EndCause::exited, 0);
    early.ended_usec = sample_record().started_usec - 1'000'000;
    CHECK(says(line(early), "exited with 0 after 0;"));
  }

  TEST_CASE("what the host may run of what was changed is counted, and the line says where to read on") {
    SessionOutcome changed = outcome(EndCause::exited, 0);
    changed.surface.findings = {{"/p/Makefile", "build file", "the build, tests", "new", ""}};
    changed.surface.count = 1;
    CHECK(line(changed).ends_with("; 1 file that the host may run changed: agentctl receipt claude-webshop"));
    changed.surface.count = 7;
    CHECK(says(line(changed), "; 7 files that the host may run changed"));
    const std::string json = receipt_json(sample_record(), changed);
    CHECK(says(json, R"("exec_surface":[{"path":"/p/Makefile","kind":"build file",)"));
    CHECK(says(json, R"("exec_surface_count":7)"));
  }

  TEST_CASE("new executable files are counted beside what the host may run") {
    SessionOutcome built = outcome(EndCause::exited, 0);
    built.surface.executables = {"/p/run.sh"};
    built.surface.executable_count = 1;
    CHECK(line(built).ends_with("; 1 new executable file: agentctl receipt claude-webshop"));
    built.surface.count = 2;
    built.surface.executable_count = 30;
    CHECK(
        line(built).ends_with("; 2 files that the host may run changed, 30 new executable files: "
                              "agentctl receipt claude-webshop"));
    CHECK(says(receipt_json(sample_record(), built), R"("new_executables":["/p/run.sh"],"new_executable_count":30)"));
  }

  TEST_CASE("what goes with the private home is counted and named") {
    SessionOutcome left = outcome(EndCause::exited, 0);
    left.dropped = {1, {"~/a\x1b"}, true};
    CHECK(says(line(left), "; 1 file in the private home dropped: ~/a\\x1b"));
    left.dropped = {14, {"~/a", "~/b/", "~/c", "~/d"}, false};
    CHECK(says(line(left), "; at least 14 files in the private home dropped: ~/a, ~/b/, ~/c, …"));
    CHECK(says(receipt_json(sample_record(), left), R"("dropped":["~/a","~/b/","~/c","~/d"],"dropped_count":14)"));
  }

  TEST_CASE("of a session that lost its supervisor nothing is claimed that nobody saw") {
    SessionOutcome lost = outcome(EndCause::lost, 0);
    lost.usage = {};
    CHECK(line(lost) ==
          "claude-webshop: ended without its supervisor, which was killed, at most 1min 30s after its start");
    const std::string json = receipt_json(sample_record(), lost);
    CHECK(says(json, R"("cause":"supervisor-lost","exit_status":null)"));
  }

  TEST_CASE("the JSON holds what the line says, and more") {
    SessionOutcome crowded = outcome(EndCause::stopped, 137);
    crowded.killed = {"a\"b (12)"};
    crowded.problems = {"x"};
    const std::string json = receipt_json(sample_record(), crowded);
    for (const char* part :
         {R"("name":"claude-webshop")", R"("cause":"stopped")", R"("exit_status":137)",
          R"("killed_by_memory_limit":false)", R"("memory-max":2147483648)", R"("memory_peak":536870912)",
          R"~("killed":["a\"b (12)"])~", R"("problems":["x"])", R"("runtime-max":"infinity")"}) {
      CHECK_MESSAGE(says(json, part), json);
    }
  }
}

}  // namespace agentctl::manager
