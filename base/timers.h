// SPDX-License-Identifier: Apache-2.0
// Timers: what is to be called at which time, once each, in the order of those times. Pure: whoever owns it knows what
// time it is (microseconds of any clock, UINT64_MAX being never) and sleeps.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

namespace agentctl {

class Timers {
 public:
  using Id = std::uint64_t;  // never 0
  using Callback = std::function<void()>;

  Id add(std::uint64_t due_usec, Callback callback);
  void cancel(Id timer);

  // How long epoll_wait(2) may sleep: milliseconds, rounded up so that it never wakes too early; -1 without a timer.
  [[nodiscard]] int wait_msec(std::uint64_t now_usec) const;
  // Those that callbacks add meanwhile are left for the next time; those that they cancel are not called.
  void run_due(std::uint64_t now_usec);

 private:
  using Key = std::pair<std::uint64_t, Id>;  // when it is due

  std::map<Key, Callback> callbacks_;
  std::unordered_map<Id, std::uint64_t> due_usec_;
  Id next_ = 1;
};

}  // namespace agentctl
