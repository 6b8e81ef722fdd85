// SPDX-License-Identifier: Apache-2.0
// EventLoop: the one loop of a process: descriptors by poll(2), which unlike epoll also takes regular files; signals by
// signalfd(2); one-shot timers on CLOCK_MONOTONIC (time asleep does not count). Sleeps until something happens.
// Callbacks may add and remove watches and timers, their own too. Not thread-safe: there is one thread.
#pragma once

#include <sys/signalfd.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

class EventLoop {
 public:
  using FdCallback = std::function<void(short revents)>;
  using SignalCallback = std::function<void(const signalfd_siginfo&)>;
  using TimerCallback = std::function<void()>;
  using TimerId = std::uint64_t;

  // `fd` stays the caller's; forget it before closing it.
  void watch(int fd, short events, FdCallback callback);
  void set_events(int fd, short events);
  void forget(int fd);

  // Blocks the signals in this process and delivers them here; children must reset their mask (they do so at exec).
  [[nodiscard]] Result<void> watch_signals(std::initializer_list<int> signals, SignalCallback callback);

  TimerId after(std::uint64_t usec, TimerCallback callback);
  void cancel(TimerId timer);

  // Runs until `done`, asked before each wait, is true.
  [[nodiscard]] Result<void> run_until(const std::function<bool()>& done);

 private:
  struct Watch {
    int fd;
    short events;
    std::shared_ptr<FdCallback> callback;
  };
  struct Timer {
    TimerId id;
    std::uint64_t due_usec;
    std::shared_ptr<TimerCallback> callback;
  };

  void run_due_timers();

  std::vector<Watch> watches_;
  std::vector<Timer> timers_;
  TimerId next_timer_ = 1;
  UniqueFd signals_;
};

}  // namespace agentctl
