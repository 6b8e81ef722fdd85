// SPDX-License-Identifier: Apache-2.0
#include "base/timers.h"

#include <algorithm>
#include <climits>

namespace agentctl {

Timers::Id Timers::add(std::uint64_t due_usec, Callback callback) {
  const Id id = next_++;
  callbacks_.emplace(Key{due_usec, id}, std::move(callback));
  due_usec_.emplace(id, due_usec);
  return id;
}

void Timers::cancel(Id timer) {
  const auto due = due_usec_.find(timer);
  if (due == due_usec_.end()) return;
  callbacks_.erase({due->second, timer});
  due_usec_.erase(due);
}

int Timers::wait_msec(std::uint64_t now_usec) const {
  if (callbacks_.empty()) return -1;
  const std::uint64_t due_usec = callbacks_.begin()->first.first;
  if (due_usec <= now_usec) return 0;
  const std::uint64_t msec = (due_usec - now_usec - 1) / 1'000 + 1;
  return static_cast<int>(std::min<std::uint64_t>(msec, INT_MAX));
}

void Timers::run_due(std::uint64_t now_usec) {
  const Id first_new = next_;
  for (auto first = callbacks_.begin(); first != callbacks_.end() && first->first.first <= now_usec;) {
    if (first->first.second >= first_new) {
      ++first;
      continue;
    }
    const auto taken = callbacks_.extract(first);
    due_usec_.erase(taken.key().second);
    taken.mapped()();
    first = callbacks_.begin();
  }
}

}  // namespace agentctl
