// SPDX-License-Identifier: Apache-2.0
// NotificationLimiter: when notifications may be shown, so that whatever sessions do nobody drowns in them. One is held
// for half a second, and those of its kind that come meanwhile are summed up with it; of one kind one is shown each
// five seconds at most, and about one session one of a kind each minute (what it says in between is told then). Pure:
// times are CLOCK_MONOTONIC in microseconds, given by the caller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "manager/service/notification.h"

namespace agentctl::manager::service {

class NotificationLimiter {
 public:
  void add(Notification notification, std::uint64_t now);
  // What is held of a session that has ended offers no stop any longer, and waits no longer than anything else.
  void session_ended(const std::string& key, std::uint64_t now);
  // What is to be shown now; it is not held any longer.
  [[nodiscard]] std::vector<Notification> take_due(std::uint64_t now);
  // When something is due next.
  [[nodiscard]] std::optional<std::uint64_t> next_due() const;

 private:
  struct Held {
    Notification notification;
    std::uint64_t due = 0;
  };
  [[nodiscard]] std::uint64_t due_of(const Held& held) const;

  std::vector<Held> held_;
  std::map<NotificationKind, std::uint64_t> kind_due_;  // not before
  std::map<std::pair<NotificationKind, std::string>, std::uint64_t> session_due_;
};

}  // namespace agentctl::manager::service
