// SPDX-License-Identifier: Apache-2.0
// Pump: moves bytes from one descriptor to another through a bounded buffer, unchanged, until the source ends or nobody
// reads the sink any more. It reads only while there is room and writes only when the sink is ready, so a slow reader
// holds the writer up and nothing else.
#pragma once

#include <functional>
#include <string>

#include "base/event_loop.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class Pump {
 public:
  // Owns both descriptors. Each must be watched by nobody else.
  Pump(EventLoop& loop, UniqueFd source, UniqueFd sink);
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;
  ~Pump();

  void start();
  // Called after each read from the source; for the terminal's suspend check.
  void on_activity(std::function<void()> callback) { activity_ = std::move(callback); }
  // What is read meanwhile goes nowhere.
  void discard(bool discards) { discards_ = discards; }
  // The source's writers are gone: moves what is still in it, waiting for the sink up to the deadline.
  void drain(std::uint64_t deadline_usec);
  // Reading from a terminal in the background fails with EIO: stop until resume().
  void resume();
  [[nodiscard]] bool finished() const { return !source_.valid() && !sink_.valid(); }

 private:
  void on_source(short revents);
  void on_sink(short revents);
  bool read_some();  // false: nothing to read now
  void write_some();
  void close_source();
  void close_all();
  void update_interest();

  EventLoop& loop_;
  UniqueFd source_;
  UniqueFd sink_;
  std::string buffer_;
  bool paused_ = false;
  bool discards_ = false;
  std::function<void()> activity_;
};

}  // namespace agentctl::manager
