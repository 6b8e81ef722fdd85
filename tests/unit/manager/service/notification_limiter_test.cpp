// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification_limiter.h"

#include <doctest/doctest.h>

#include "base/text.h"

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

Notification about(NotificationKind kind, const std::string& key, const std::string& line = "x") {
  Notification notification;
  notification.kind = kind;
  notification.key = key;
  notification.subject = key;
  notification.title = cat("about ", key);
  notification.lines = {line};
  return notification;
}

Notification warning(const std::string& key, const std::string& line) {
  Notification notification = about(NotificationKind::warning, key, line);
  notification.offers_stop = true;
  return notification;
}

// Time goes from one due moment to the next until nothing is held.
std::vector<std::pair<std::uint64_t, Notification>> play(NotificationLimiter& limiter) {
  std::vector<std::pair<std::uint64_t, Notification>> shown;
  while (const auto due = limiter.next_due()) {
    for (Notification& notification : limiter.take_due(*due)) shown.emplace_back(*due, std::move(notification));
  }
  return shown;
}

}  // namespace

TEST_SUITE_BEGIN("notification_limiter");

TEST_CASE("one notification is shown as it is, within half a second") {
  NotificationLimiter limiter;
  CHECK_FALSE(limiter.next_due());
  limiter.add(about(NotificationKind::ended, "a"), 10 * kSecond);
  CHECK(limiter.take_due(10 * kSecond).empty());
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].first == 10 * kSecond + kSecond / 2);
  CHECK(shown[0].second.title == "about a");
}

TEST_CASE("a burst is summed up in one") {
  NotificationLimiter limiter;
  for (const char* key : {"a", "b", "c", "d", "e"}) limiter.add(about(NotificationKind::ended, key), kSecond);
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].second.title == "5 sessions ended");
}

TEST_CASE("of one kind one is shown each five seconds, and what comes meanwhile with the next") {
  NotificationLimiter limiter;
  limiter.add(about(NotificationKind::ended, "a"), 0);
  CHECK(limiter.take_due(kSecond / 2).size() == 1);
  limiter.add(about(NotificationKind::ended, "b"), kSecond);
  limiter.add(about(NotificationKind::ended, "c"), 4 * kSecond);
  CHECK(limiter.take_due(5 * kSecond).empty());
  CHECK(*limiter.next_due() == 5 * kSecond + kSecond / 2);
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].second.title == "2 sessions ended");
}

TEST_CASE("another kind does not wait for it") {
  NotificationLimiter limiter;
  limiter.add(about(NotificationKind::ended, "a"), 0);
  CHECK(limiter.take_due(kSecond / 2).size() == 1);
  limiter.add(about(NotificationKind::memory, "b"), kSecond);
  CHECK(*limiter.next_due() == kSecond + kSecond / 2);
}

TEST_CASE("a session that warns without end is heard once a minute, with all that it said") {
  NotificationLimiter limiter;
  for (std::uint64_t second = 0; second < 120; ++second) {
    limiter.add(warning("a", cat("line ", second)), second * kSecond);
    for (const Notification& shown : limiter.take_due(second * kSecond + kSecond / 2)) {
      CAPTURE(second);
      CHECK((second == 0 || second == 60));
      CHECK(shown.lines.size() == (second == 0 ? 1 : 60));
    }
  }
  const auto last = play(limiter);
  REQUIRE(last.size() == 1);
  CHECK(last[0].first == 120 * kSecond + kSecond / 2);
  CHECK_FALSE(limiter.next_due());
}

TEST_CASE("the end of a session does not wait for its minute, and what is held of it offers no stop") {
  NotificationLimiter limiter;
  limiter.add(warning("a", "first"), 0);
  CHECK(limiter.take_due(kSecond / 2).size() == 1);
  limiter.add(warning("a", "second"), 10 * kSecond);
  limiter.session_ended("a", 11 * kSecond);
  limiter.add(about(NotificationKind::ended, "a"), 11 * kSecond);
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 2);
  for (const auto& [when, notification] : shown) {
    CHECK(when == 11 * kSecond + kSecond / 2);
    CHECK_FALSE(notification.offers_stop);
  }
}

TEST_CASE("that a process was killed is not told when the session was killed with it") {
  NotificationLimiter limiter;
  Notification process = about(NotificationKind::memory, "a", "process");
  process.offers_stop = true;
  limiter.add(process, 0);
  limiter.session_ended("a", 1000);
  limiter.add(about(NotificationKind::memory, "a", "session"), 1000);
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].second.lines == std::vector<std::string>{"session"});
}

TEST_CASE("two that belong to no session are two") {
  NotificationLimiter limiter;
  limiter.add(about(NotificationKind::not_started, ""), 0);
  limiter.add(about(NotificationKind::not_started, ""), 0);
  const auto shown = play(limiter);
  REQUIRE(shown.size() == 1);
  CHECK(shown[0].second.title == "2 sessions were not started");
}

TEST_SUITE_END();

}  // namespace agentctl::manager::service
