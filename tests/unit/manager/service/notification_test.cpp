// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification.h"

#include <doctest/doctest.h>

#include "base/text.h"
#include "manager/receipt.h"
#include "tests/unit/manager/sample_record.h"

namespace agentctl::manager::service {
namespace {

Record record_of(const char* parent_kind) {
  Record record = sample_record();
  record.id = "1a2b3c4d";
  record.name = "claude-webshop";
  record.project = "/home/u/webshop";
  record.state = "running";
  record.parent_kind = parent_kind;
  record.started_usec = 1'000'000;
  record.limits.memory_max = 8ULL << 30;
  return record;
}

SessionEvent end_of(const char* parent_kind, EndCause cause, int status = 0, std::uint64_t oom_kills = 0) {
  const Record record = record_of(parent_kind);
  SessionOutcome outcome;
  outcome.cause = cause;
  outcome.exit_status = status;
  outcome.ended_usec = 91'000'000;
  outcome.usage.memory_peak = 8ULL << 30;
  outcome.usage.oom_kills = oom_kills;
  KeptReceipt receipt{receipt_json(record, outcome), {}};
  auto value = parse_json(receipt.text);
  REQUIRE(value.has_value());
  receipt.value = std::move(*value);
  return {SessionEventKind::ended, record, record, std::move(receipt)};
}

std::string text_of(const SessionEvent& event) {
  const auto notification = notification_of(event, std::nullopt);
  return notification ? cat(notification->title, "|", join(notification->lines, "|")) : "nothing";
}

}  // namespace

TEST_SUITE_BEGIN("notification");

TEST_CASE("the end of a detached session is told, with how it ended") {
  CHECK(text_of(end_of("manager", EndCause::exited, 3)) ==
        "Session ended: claude-webshop|exited with 3 after 1min 30s|/home/u/webshop");
  CHECK(text_of(end_of("manager", EndCause::exited, 139)) ==
        "Session ended: claude-webshop|ended by SIGSEGV after 1min 30s|/home/u/webshop");
  CHECK(text_of(end_of("manager", EndCause::time_limit, 143))
            .starts_with("Session ended: claude-webshop|ended by the time limit of "));
  CHECK(text_of(end_of("manager", EndCause::lost))
            .starts_with("Session ended: claude-webshop|ended without its supervisor, which was killed, at most "));
  const auto told = notification_of(end_of("manager", EndCause::exited), std::nullopt);
  REQUIRE(told);
  CHECK(told->key == "1a2b3c4d");
  CHECK_FALSE(told->critical);
  CHECK_FALSE(told->offers_stop);
}

TEST_CASE("nobody is told of an ordinary end who sits before it") {
  CHECK(text_of(end_of("caller", EndCause::exited)) == "nothing");
  CHECK(text_of(end_of("caller", EndCause::exited, 1)) == "nothing");
  CHECK(text_of(end_of("pid", EndCause::exited)) == "nothing");
}

TEST_CASE("nobody is told of what its user has just done") {
  for (const char* parent : {"caller", "pid", "manager"}) {
    CAPTURE(parent);
    for (const EndCause cause :
         {EndCause::stopped, EndCause::hangup, EndCause::terminated, EndCause::interrupted, EndCause::exec_failed}) {
      CAPTURE(to_string(cause));
      CHECK(text_of(end_of(parent, cause, 143)) == "nothing");
    }
  }
  CHECK(text_of(end_of("caller", EndCause::parent_died, 143)) == "nothing");
}

TEST_CASE("what nobody expects is told of every session") {
  for (const char* parent : {"caller", "pid", "manager"}) {
    CAPTURE(parent);
    for (const EndCause cause : {EndCause::time_limit, EndCause::mask_lost, EndCause::lost}) {
      CAPTURE(to_string(cause));
      CHECK(text_of(end_of(parent, cause)) != "nothing");
    }
  }
  CHECK(text_of(end_of("pid", EndCause::parent_died, 143)) ==
        "Session ended: claude-webshop|ended since its parent died, ended by SIGTERM after 1min 30s|/home/u/webshop");
}

TEST_CASE("a session that the memory limit killed is critical, with peak and limit") {
  const auto told = notification_of(end_of("caller", EndCause::exited, 137, 2), std::nullopt);
  REQUIRE(told);
  CHECK(told->kind == NotificationKind::memory);
  CHECK(told->title == "Session killed: claude-webshop");
  CHECK(told->lines[0] == "killed by the memory limit: peak 8.0G of 8.0G after 1min 30s");
  CHECK(told->critical);
  CHECK_FALSE(told->offers_stop);
}

TEST_CASE("an end without a receipt, as of a start that was refused, is not told") {
  SessionEvent event = end_of("manager", EndCause::exited);
  event.receipt.reset();
  CHECK(text_of(event) == "nothing");
}

TEST_CASE("a killed process is critical and offers to stop the session, which goes on") {
  const Record record = record_of("caller");
  const SessionEvent event{SessionEventKind::oom_kill, record, record, std::nullopt};
  const auto told = notification_of(event, 6ULL << 30);
  REQUIRE(told);
  CHECK(told->title == "Process killed in claude-webshop");
  CHECK(told->lines[0] == "killed by the memory limit: peak 6.0G of 8.0G");
  CHECK(told->critical);
  CHECK(told->offers_stop);
  CHECK(notification_of(event, std::nullopt)->lines[0] == "killed by the memory limit of 8.0G");
}

TEST_CASE("what is said of a session while it runs is told, and what was said at its start is not") {
  Record before = record_of("caller");
  before.warnings = {"network: shared with the host"};
  Record now = before;
  now.warnings.emplace_back("'/p/.env' was replaced on the host: hidden again");
  const auto told = notification_of({SessionEventKind::changed, before, now, std::nullopt}, std::nullopt);
  REQUIRE(told);
  CHECK(told->title == "Warning in claude-webshop");
  CHECK(told->lines == std::vector<std::string>{"'/p/.env' was replaced on the host: hidden again"});
  CHECK(told->offers_stop);
  CHECK_FALSE(told->critical);
  CHECK_FALSE(notification_of({SessionEventKind::changed, now, now, std::nullopt}, std::nullopt));
  CHECK_FALSE(notification_of({SessionEventKind::added, now, now, std::nullopt}, std::nullopt));
  before.state = "starting";
  CHECK_FALSE(notification_of({SessionEventKind::changed, before, now, std::nullopt}, std::nullopt));
}

TEST_CASE("one that is ending offers no stop") {
  Record before = record_of("caller");
  Record now = before;
  now.state = "stopping";
  now.warnings.emplace_back("something");
  CHECK_FALSE(notification_of({SessionEventKind::changed, before, now, std::nullopt}, std::nullopt)->offers_stop);
}

TEST_CASE("that memory is nearly used up is told with both figures, and can be acted upon") {
  const Notification told = near_limit(record_of("caller"), {15ULL << 29, 8ULL << 30});
  CHECK(told.title == "Memory nearly used up in claude-webshop");
  CHECK(told.lines[0] == "7.5G of 8.0G in use");
  CHECK(told.offers_stop);
  CHECK_FALSE(told.critical);
}

TEST_CASE("what was not started is told with every line of the reason") {
  const Notification told = not_started("~/dev/x", "profile 'clod' not found\nhint: there are: claude\n");
  CHECK(told.title == "Session not started: ~/dev/x");
  CHECK(told.lines == std::vector<std::string>{"profile 'clod' not found", "hint: there are: claude"});
  CHECK_FALSE(told.offers_stop);
}

TEST_CASE("several are one: how many, the first four, and how many more") {
  std::vector<Notification> many;
  for (int number = 1; number <= 6; ++number) {
    SessionEvent event = end_of("manager", EndCause::exited, number);
    event.now.id = cat("1a2b3c4", number);
    event.now.name = cat("s", number);
    many.push_back(*notification_of(event, std::nullopt));
  }
  const Notification sum = sum_up(many);
  CHECK(sum.title == "6 sessions ended");
  REQUIRE(sum.lines.size() == 5);
  CHECK(sum.lines[3].starts_with("s4: "));
  CHECK(sum.lines[4] == "and 2 more");
  CHECK(sum.key.empty());
  CHECK_FALSE(sum.offers_stop);
  CHECK(sum.other_keys.size() == 6);
}

TEST_SUITE_END();

}  // namespace agentctl::manager::service
