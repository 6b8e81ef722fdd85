// SPDX-License-Identifier: Apache-2.0
// SessionPause: all processes of a session stand still until it is resumed. The scope is frozen (cgroup.freeze of the
// unified tree: kernel Documentation/admin-guide/cgroup-v2.rst), and who asked is answered when the kernel says that
// every one of them is (cgroup.events, `frozen 1`); SIGKILL still ends them. Where there is no unified tree it is
// refused: the v1 freezer would hold even SIGKILL back. Of what the processes talk to over a network, nothing waits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "units/cgroup.h"

namespace agentctl::manager {

class SessionPause {
 public:
  using Answer = std::function<void(const Result<void>&)>;

  // `loop` and `cgroup` outlive this. `changed` hears when the session has come to stand still, and when it goes on.
  SessionPause(EventLoop& loop, const units::Cgroup& cgroup, std::function<void(bool is_paused)> changed);
  SessionPause(const SessionPause&) = delete;
  SessionPause& operator=(const SessionPause&) = delete;
  ~SessionPause();

  // Both succeed where there is nothing to do. A process that does not stop within two seconds (in uninterruptible
  // sleep) is an Error, and the others go on.
  void pause(Answer answer);
  void resume(const Answer& answer);
  // The session ends: whoever waits is told, and nothing more is changed here.
  void give_up();

 private:
  void look();
  void finish(const Result<void>& frozen);
  [[nodiscard]] std::vector<Answer> stop_waiting();
  void set_paused(bool is_paused);

  EventLoop& loop_;
  const units::Cgroup& cgroup_;
  std::function<void(bool)> changed_;
  bool is_paused_ = false;
  UniqueFd events_;  // valid while the kernel's word is awaited
  std::optional<EventLoop::TimerId> deadline_;
  std::vector<Answer> waiting_;
};

}  // namespace agentctl::manager
