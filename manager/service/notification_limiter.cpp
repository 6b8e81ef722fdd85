// SPDX-License-Identifier: Apache-2.0
#include "manager/service/notification_limiter.h"

#include <algorithm>

namespace agentctl::manager::service {
namespace {

constexpr std::uint64_t kGatherUsec = 500'000;
constexpr std::uint64_t kKindPauseUsec = 5'000'000;
constexpr std::uint64_t kSessionPauseUsec = 60'000'000;

constexpr NotificationKind kKinds[] = {NotificationKind::near_limit, NotificationKind::memory, NotificationKind::ended,
                                       NotificationKind::warning, NotificationKind::not_started};

}  // namespace

void NotificationLimiter::add(Notification notification, std::uint64_t now) {
  for (Held& held : held_) {
    Notification& earlier = held.notification;
    if (notification.key.empty() || earlier.key != notification.key || earlier.kind != notification.kind) continue;
    // Each warning is something else; of the rest the last word counts.
    if (notification.kind == NotificationKind::warning) {
      notification.lines.insert(notification.lines.begin(), earlier.lines.begin(), earlier.lines.end());
    }
    // An end cannot wait for what went on before it.
    if (!notification.offers_stop) held.due = std::min(held.due, now + kGatherUsec);
    earlier = std::move(notification);
    return;
  }
  std::uint64_t due = now + kGatherUsec;
  const auto paused = session_due_.find({notification.kind, notification.key});
  if (paused != session_due_.end() && notification.offers_stop) due = std::max(due, paused->second);
  held_.push_back({std::move(notification), due});
}

void NotificationLimiter::session_ended(const std::string& key, std::uint64_t now) {
  // How its memory was is old news then.
  std::erase_if(held_, [&](const Held& held) {
    const NotificationKind kind = held.notification.kind;
    return held.notification.key == key && (kind == NotificationKind::memory || kind == NotificationKind::near_limit);
  });
  for (Held& held : held_) {
    if (held.notification.key != key) continue;
    held.notification.offers_stop = false;
    held.due = std::min(held.due, now + kGatherUsec);
  }
}

std::uint64_t NotificationLimiter::due_of(const Held& held) const {
  const auto kind = kind_due_.find(held.notification.kind);
  return kind == kind_due_.end() ? held.due : std::max(held.due, kind->second);
}

std::vector<Notification> NotificationLimiter::take_due(std::uint64_t now) {
  std::vector<Notification> shown;
  for (const NotificationKind kind : kKinds) {
    std::vector<Notification> due;
    for (Held& held : held_) {
      if (held.notification.kind == kind && due_of(held) <= now) due.push_back(std::move(held.notification));
    }
    if (due.empty()) continue;
    std::erase_if(held_, [&](const Held& held) { return held.notification.kind == kind && due_of(held) <= now; });
    kind_due_[kind] = now + kKindPauseUsec;
    for (const Notification& one : due) {
      if (one.offers_stop) session_due_[{kind, one.key}] = now + kSessionPauseUsec;
    }
    shown.push_back(due.size() == 1 ? std::move(due.front()) : sum_up(due));
  }
  std::erase_if(session_due_, [now](const auto& pause) { return pause.second <= now; });
  return shown;
}

std::optional<std::uint64_t> NotificationLimiter::next_due() const {
  std::optional<std::uint64_t> next;
  for (const Held& held : held_) next = std::min(next.value_or(UINT64_MAX), due_of(held));
  return next;
}

}  // namespace agentctl::manager::service
