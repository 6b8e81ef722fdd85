// SPDX-License-Identifier: Apache-2.0
// PacedEvents: a cgroup's events file (memory.events), read when the kernel says that it has changed, but at most once
// a second: a session whose cache fills its memory changes it all the time, as it should. Asleep while nothing changes.
// Source: kernel cgroup-v2.rst ("a file modified event").
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::manager::service {

class PacedEvents {
 public:
  using Changed = std::function<void(std::string_view text)>;

  // `loop` outlives this. `changed` hears of the text as it is now, first at the next change; it may destroy this.
  [[nodiscard]] static std::unique_ptr<PacedEvents> start(EventLoop& loop, UniqueFd file, Changed changed);
  PacedEvents(const PacedEvents&) = delete;
  PacedEvents& operator=(const PacedEvents&) = delete;
  ~PacedEvents();

 private:
  PacedEvents(EventLoop& loop, UniqueFd file, Changed changed)
      : loop_(loop), file_(std::move(file)), changed_(std::move(changed)) {}
  void listen();
  void stop_listening();
  void on_change();

  EventLoop& loop_;
  UniqueFd file_;
  Changed changed_;
  bool listens_ = false;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace agentctl::manager::service
