// SPDX-License-Identifier: Apache-2.0
// MemoryWatch: tells when a session comes near its memory limit, so that its user may act before the kernel kills. It
// asks for nothing: the kernel counts each time that usage has reached the limit and something had to make way
// (memory.events, `max`), and only then is looked how much is left to make way; at most once a second. What takes all
// its memory at once is killed before. Not on cgroup v1, which has no such file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "base/event_loop.h"
#include "base/unique_fd.h"
#include "manager/record.h"
#include "manager/service/memory_use.h"

namespace agentctl::manager::service {

class MemoryWatch {
 public:
  using Near = std::function<void(const MemoryUse&)>;

  // None where there is nothing to watch. `loop` outlives this. `near` is called again only when the use has meanwhile
  // been seen far from the limit; it must not destroy this.
  [[nodiscard]] static std::unique_ptr<MemoryWatch> start(EventLoop& loop, const Record& record, Near near);
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  ~MemoryWatch();

 private:
  MemoryWatch(EventLoop& loop, Near near) : loop_(loop), near_(std::move(near)) {}
  void listen();
  void pause();
  void on_events();
  // How often the limit was reached; none when the cgroup is gone.
  [[nodiscard]] std::optional<std::uint64_t> read_hits();
  void look();

  EventLoop& loop_;
  Near near_;
  UniqueFd directory_;
  UniqueFd events_;
  std::uint64_t hits_ = 0;
  bool is_told_ = false;
  bool listens_ = false;
  std::optional<EventLoop::TimerId> timer_;
};

}  // namespace agentctl::manager::service
