// SPDX-License-Identifier: Apache-2.0
#include "base/event_loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace agentctl {
namespace {

constexpr int kMostAtOnce = 64;

// The events of poll(2) are passed on as they are.
static_assert(POLLIN == static_cast<int>(EPOLLIN) && POLLPRI == static_cast<int>(EPOLLPRI) &&
              POLLOUT == static_cast<int>(EPOLLOUT) && POLLERR == static_cast<int>(EPOLLERR) &&
              POLLHUP == static_cast<int>(EPOLLHUP) && POLLRDHUP == static_cast<int>(EPOLLRDHUP) &&
              POLLRDNORM == static_cast<int>(EPOLLRDNORM) && POLLWRNORM == static_cast<int>(EPOLLWRNORM));

// What poll says of a file that has no such operation (DEFAULT_POLLMASK in the kernel's include/linux/poll.h).
constexpr short kAlwaysReady = POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;

}  // namespace

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_.valid()) problem_ = errno_error("cannot wait for events");
}

void EventLoop::watch(int fd, short events, FdCallback callback) {
  forget(fd);
  Watch& made = watches_[fd];
  made = {events, next_serial_++, false, std::make_shared<FdCallback>(std::move(callback))};
  tell_kernel(EPOLL_CTL_ADD, fd, made);
}

void EventLoop::set_events(int fd, short events) {
  const auto watch = watches_.find(fd);
  if (watch == watches_.end() || watch->second.events == events) return;
  watch->second.events = events;
  if (!watch->second.is_always_ready) tell_kernel(EPOLL_CTL_MOD, fd, watch->second);
}

void EventLoop::forget(int fd) {
  const auto watch = watches_.find(fd);
  if (watch == watches_.end()) return;
  if (watch->second.is_always_ready)
    std::erase(always_ready_, fd);
  else
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  watches_.erase(watch);
}

void EventLoop::tell_kernel(int operation, int fd, Watch& watch) {
  if (fd < 0 || problem_) return;
  epoll_event wanted{};
  wanted.events = static_cast<unsigned short>(watch.events);
  wanted.data.u64 = std::uint64_t{watch.serial} << 32U | static_cast<std::uint32_t>(fd);
  if (::epoll_ctl(epoll_.get(), operation, fd, &wanted) == 0) return;
  if (errno == EPERM) {
    watch.is_always_ready = true;
    always_ready_.push_back(fd);
  } else {
    problem_ = errno_error("cannot watch a descriptor");
  }
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
  return timers_.add(due_usec, std::move(callback));
}

std::vector<EventLoop::Ready> EventLoop::find_always_ready() const {
  std::vector<Ready> ready;
  for (const int fd : always_ready_) {
    const Watch& watch = watches_.at(fd);
    const auto revents = static_cast<short>(watch.events & kAlwaysReady);
    if (revents != 0) ready.push_back({fd, watch.serial, revents});
  }
  return ready;
}

void EventLoop::call(const Ready& ready) const {
  const auto watch = watches_.find(ready.fd);
  // An earlier callback of this round may have forgotten it, and may have watched another of the same number.
  if (watch == watches_.end() || watch->second.serial != ready.serial) return;
  const auto callback = watch->second.callback;  // keeps it alive should it forget itself
  (*callback)(ready.revents);
}

Result<void> EventLoop::run_until(const std::function<bool()>& done) {
  while (!done()) {
    if (problem_) return *problem_;
    const std::vector<Ready> files = find_always_ready();
    std::array<epoll_event, kMostAtOnce> events;  // NOLINT: filled by epoll_wait
    const int msec = files.empty() ? timers_.wait_msec(monotonic_usec()) : 0;
    const int count = ::epoll_wait(epoll_.get(), events.data(), kMostAtOnce, msec);
    if (count < 0 && errno != EINTR) return errno_error("cannot wait for events");
    timers_.run_due(monotonic_usec());
    for (int at = 0; at < count; ++at) {
      const std::uint64_t key = events[static_cast<std::size_t>(at)].data.u64;
      call({static_cast<int>(key & UINT32_MAX), static_cast<std::uint32_t>(key >> 32U),
            static_cast<short>(events[static_cast<std::size_t>(at)].events)});
    }
    for (const Ready& file : files) call(file);
  }
  return {};
}

}  // namespace agentctl
