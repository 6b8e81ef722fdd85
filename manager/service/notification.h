// SPDX-License-Identifier: Apache-2.0
// Notification: one message for the person at the desktop, as plain text; and which event of a session deserves one.
// Not told: what its user has just done (stop, Ctrl-C, logout), and the ordinary end of a session that somebody sat
// before. Pure. Text in it may come from an agent: whoever shows it makes it printable and escapes markup
// (notification_markup.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manager/service/memory_use.h"
#include "manager/service/session_event.h"

namespace agentctl::manager::service {

enum class NotificationKind { ended, memory, near_limit, warning, not_started };

struct Notification {
  NotificationKind kind = NotificationKind::ended;
  std::string key;                 // the session's id: a later one of the same key takes the place of this one
  std::string subject;             // the session's name, for a message about several
  std::string title;               // one line
  std::vector<std::string> lines;  // below the title; the first one says what happened
  bool critical = false;
  bool offers_stop = false;             // the session `key` runs on and can be stopped
  std::vector<std::string> other_keys;  // of earlier ones whose word this one has, too
};

// `memory_peak` in bytes, of the session's cgroup; with oom_kill.
[[nodiscard]] std::optional<Notification> notification_of(const SessionEvent& event,
                                                          std::optional<std::uint64_t> memory_peak);

[[nodiscard]] Notification near_limit(const Record& record, const MemoryUse& use);

// What [[autostart]] names could not be started; `why` may be several lines.
[[nodiscard]] Notification not_started(const std::string& project, const std::string& why);

// Several of one kind as one: "5 sessions ended".
[[nodiscard]] Notification sum_up(const std::vector<Notification>& notifications);

}  // namespace agentctl::manager::service
