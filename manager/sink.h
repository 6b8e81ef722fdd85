// SPDX-License-Identifier: Apache-2.0
// Sink: bytes on their way to a descriptor whose reader may be slow. It never blocks; how much may wait is its user's
// to decide, by waiting(). When nobody reads any more, what comes is dropped.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class Sink {
 public:
  // Owns the descriptor, which must be watched by nobody else.
  Sink(EventLoop& loop, UniqueFd fd);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  void put(std::string_view bytes);
  [[nodiscard]] std::size_t waiting() const { return buffer_.size(); }
  [[nodiscard]] bool closed() const { return !fd_.valid(); }
  // Called when something that waited was written, or nobody reads any more.
  void on_change(std::function<void()> callback) { change_ = std::move(callback); }
  // Waits until all is written or the moment (monotonic_usec) has come, then closes.
  void drain(std::uint64_t until_usec);

 private:
  void on_ready(short revents);
  void write_some();
  void close();

  EventLoop& loop_;
  UniqueFd fd_;
  bool is_non_blocking_;
  std::string buffer_;
  std::function<void()> change_;
};

}  // namespace agentctl::manager
