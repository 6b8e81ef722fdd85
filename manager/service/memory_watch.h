// SPDX-License-Identifier: Apache-2.0
// MemoryWatch: tells when a session comes near its memory limit, so that its user may act before the kernel kills. It
// asks for nothing: the kernel counts each time that usage has reached the limit and something had to make way
// (memory.events, `max`), and only then is looked how much is left to make way; at most once a second (paced_events.h).
// What takes all its memory at once is killed before. Not on cgroup v1, which has no such file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "manager/record.h"
#include "manager/service/memory_use.h"
#include "manager/service/paced_events.h"

namespace agentctl::manager::service {

class MemoryWatch {
 public:
  using Near = std::function<void(const MemoryUse&)>;

  // None where there is nothing to watch. `loop` outlives this. `near` is called again only when the use has meanwhile
  // been seen far from the limit; it must not destroy this.
  [[nodiscard]] static std::unique_ptr<MemoryWatch> start(EventLoop& loop, const Record& record, Near near);
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  MemoryWatch(UniqueFd directory, Near near) : directory_(std::move(directory)), near_(std::move(near)) {}
  void on_events(std::string_view text);
  void look();

  UniqueFd directory_;
  Near near_;
  std::uint64_t hits_ = 0;  // how often the limit was reached
  bool is_told_ = false;
  std::unique_ptr<PacedEvents> events_;
};

}  // namespace agentctl::manager::service
