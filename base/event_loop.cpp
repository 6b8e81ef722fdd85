// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace agentctl {

void EventLoop::watch(int fd, short events, FdCallback callback) {
  watches_.push_back({fd, events, std::make_shared<FdCallback>(std::move(callback))});
}

void EventLoop::set_events(int fd, short events) {
  for (Watch& watch : watches_) {
    if (watch.fd == fd) watch.events = events;
  }
}

void EventLoop::forget(int fd) {
  std::erase_if(watches_, [fd](const Watch& watch) { return watch.fd == fd; });
}

Result<void> EventLoop::watch_signals(std::initializer_list<int> signals, SignalCallback callback) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  if (::sigprocmask(SIG_BLOCK, &set, nullptr) != 0) return errno_error("cannot block signals");
  signals_.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_.valid()) return errno_error("cannot make a signalfd");
  watch(signals_.get(), POLLIN, [this, callback = std::move(callback)](short) {
    signalfd_siginfo info{};
    while (::read(signals_.get(), &info, sizeof info) == sizeof info) callback(info);
  });
  return {};
}

EventLoop::TimerId EventLoop::after(std::uint64_t usec, TimerCallback callback) {
  std::uint64_t due_usec = 0;
  if (__builtin_add_overflow(monotonic_usec(), usec, &due_usec)) due_usec = UINT64_MAX;  // kInfinity: never
  timers_.push_back({next_timer_, due_usec, std::make_shared<TimerCallback>(std::move(callback))});
  return next_timer_++;
}

void EventLoop::cancel(TimerId timer) {
  std::erase_if(timers_, [timer](const Timer& candidate) { return candidate.id == timer; });
}

void EventLoop::run_due_timers() {
  const std::uint64_t now = monotonic_usec();
  std::vector<Timer> due;
  for (const Timer& timer : timers_) {
    if (timer.due_usec <= now) due.push_back(timer);
  }
  for (const Timer& timer : due) {
    // An earlier callback of this round may have cancelled it.
    const bool stands = std::erase_if(timers_, [&](const Timer& other) { return other.id == timer.id; }) > 0;
    if (stands) (*timer.callback)();
  }
}

Result<void> EventLoop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    std::vector<pollfd> polled;
    polled.reserve(watches_.size());
    for (const Watch& watch : watches_) polled.push_back({watch.fd, watch.events, 0});

    timespec wait{};
    const timespec* timeout = nullptr;
    if (!timers_.empty()) {
      const auto first = std::min_element(timers_.begin(), timers_.end(),
                                          [](const Timer& a, const Timer& b) { return a.due_usec < b.due_usec; });
      const std::uint64_t now = monotonic_usec();
      const std::uint64_t usec = first->due_usec > now ? first->due_usec - now : 0;
      wait.tv_sec = static_cast<time_t>(usec / 1'000'000U);
      wait.tv_nsec = static_cast<long>(usec % 1'000'000U) * 1'000;
      timeout = &wait;
    }
    if (::ppoll(polled.data(), polled.size(), timeout, nullptr) < 0 && errno != EINTR) {
      return errno_error("cannot wait for events");
    }
    run_due_timers();
    for (const pollfd& ready : polled) {
      if (ready.revents == 0) continue;
      const auto watch = std::find_if(watches_.begin(), watches_.end(),
                                      [&](const Watch& candidate) { return candidate.fd == ready.fd; });
      if (watch == watches_.end()) continue;  // forgotten by an earlier callback of this round
      const auto callback = watch->callback;  // keeps it alive should it forget itself
      (*callback)(ready.revents);
    }
  }
  return {};
}

}  // namespace agentctl
