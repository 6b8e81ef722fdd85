// SPDX-License-Identifier: Apache-2.0
// KernelWatch: what the kernel tells of one running session without being asked: that its supervisor has ended (pidfd),
// that its scope was frozen or thawed (cgroup.events), that the memory limit has killed a process in it (memory.events;
// not on cgroup v1). Costs nothing while nothing happens. Sources: pidfd_open(2); kernel cgroup-v2.rst.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/record.h"
#include "manager/service/paced_events.h"

namespace agentctl::manager::service {

class KernelWatch {
 public:
  struct Listener {
    std::function<void()> supervisor_ended;  // once
    std::function<void()> frozen_or_thawed;
    std::function<void()> oom_killed;
  };

  // None when the supervisor that the record names is gone. `loop` outlives this; a listener may destroy it.
  [[nodiscard]] static std::unique_ptr<KernelWatch> start(EventLoop& loop, const Record& record, Listener listener);
  KernelWatch(const KernelWatch&) = delete;
  KernelWatch& operator=(const KernelWatch&) = delete;
  ~KernelWatch();

  // The record has changed: its cgroup may be known by now.
  void follow(const Record& record);

 private:
  KernelWatch(EventLoop& loop, Listener listener) : loop_(loop), listener_(std::move(listener)) {}
  void forget(UniqueFd& fd);
  void on_cgroup_events();
  void on_memory_events(std::string_view text);

  EventLoop& loop_;
  Listener listener_;
  std::uint64_t cgroup_id_ = 0;
  std::uint64_t oom_kills_ = 0;
  bool is_frozen_ = false;
  UniqueFd supervisor_, cgroup_events_;
  std::unique_ptr<PacedEvents> memory_events_;
};

}  // namespace agentctl::manager::service
