// SPDX-License-Identifier: Apache-2.0
// EventLoop: the one loop of a process: descriptors, with the events of poll(2), by epoll(7), whose cost does not grow
// with how many of them are idle; regular files and the like, which epoll does not take, are always ready, as poll has
// it; signals by signalfd(2); one-shot timers on CLOCK_MONOTONIC (time asleep does not count), a millisecond late at
// most while nothing else is to be done. Sleeps until something happens. Callbacks may add and remove watches and
// timers, their own too. Not thread-safe: there is one thread. A process that was forked must not touch a loop that was
// made before: the kernel's part of it is still that of its parent.
#pragma once

#include <sys/signalfd.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/timers.h"
#include "base/unique_fd.h"

namespace agentctl {

class EventLoop {
 public:
  using FdCallback = std::function<void(short revents)>;
  using SignalCallback = std::function<void(const signalfd_siginfo&)>;
  using TimerCallback = Timers::Callback;
  using TimerId = Timers::Id;

  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop() = default;

  // `fd` stays the caller's; forget it before closing it. One watch a descriptor: another takes its place. POLLERR and
  // POLLHUP are told without being asked for; a negative number is never ready.
  void watch(int fd, short events, FdCallback callback);
  void set_events(int fd, short events);
  void forget(int fd);

  // Blocks the signals in this process and delivers them here; children must reset their mask (they do so at exec).
  // Call once.
  [[nodiscard]] Result<void> watch_signals(std::initializer_list<int> signals, SignalCallback callback);

  TimerId after(std::uint64_t usec, TimerCallback callback);
  void cancel(TimerId timer) { timers_.cancel(timer); }

  // Runs until `done`, asked before each wait, is true. An Error where the kernel refused to watch something.
  [[nodiscard]] Result<void> run_until(const std::function<bool()>& done);

 private:
  struct Watch {
    short events = 0;
    std::uint32_t serial = 0;  // tells it from an earlier watch of the same number
    bool is_always_ready = false;
    std::shared_ptr<FdCallback> callback;
  };
  struct Ready {
    int fd;
    std::uint32_t serial;
    short revents;
  };

  void tell_kernel(int operation, int fd, Watch& watch);
  [[nodiscard]] std::vector<Ready> find_always_ready() const;
  void call(const Ready& ready) const;

  UniqueFd epoll_;
  std::optional<Error> problem_;
  std::unordered_map<int, Watch> watches_;
  std::vector<int> always_ready_;
  std::uint32_t next_serial_ = 0;
  Timers timers_;
  UniqueFd signals_;
};

}  // namespace agentctl
