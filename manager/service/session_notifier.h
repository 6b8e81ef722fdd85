// SPDX-License-Identifier: Apache-2.0
// SessionNotifier: tells the person at the desktop what happens to sessions: from an event to a notification, held back
// where there are too many, to the bus; and stops a session when its notification's button is pressed.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/event_loop.h"
#include "manager/service/desktop_notifier.h"
#include "manager/service/memory_watch.h"
#include "manager/service/notification_limiter.h"
#include "manager/service/session_event.h"
#include "manager/service/verbs.h"

namespace agentctl::manager::service {

class SessionNotifier {
 public:
  // `loop` and `verbs` outlive this.
  SessionNotifier(EventLoop& loop, Verbs& verbs);
  SessionNotifier(const SessionNotifier&) = delete;
  SessionNotifier& operator=(const SessionNotifier&) = delete;
  ~SessionNotifier();

  // The connection to the user's bus, which outlives this, too.
  [[nodiscard]] Result<void> connect(sd_bus* bus) { return desktop_.connect(bus); }

  void on_event(const SessionEvent& event);  // a SessionListener
  void on_not_started(const std::string& project, const std::string& why);

 private:
  void watch_memory(const SessionEvent& event);
  void add(Notification notification);
  void show_due();
  void arm();
  void stop(const std::string& session_id);

  EventLoop& loop_;
  Verbs& verbs_;
  DesktopNotifier desktop_;
  NotificationLimiter limiter_;
  std::optional<EventLoop::TimerId> timer_;
  std::map<std::string, std::unique_ptr<MemoryWatch>> memory_;  // by session; null: there is nothing to watch
};

}  // namespace agentctl::manager::service
