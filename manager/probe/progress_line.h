// SPDX-License-Identifier: Apache-2.0
// ProgressLine: how far a run has come, on one line of standard error that is written over and wiped at last. Where
// that is no terminal one sentence is said instead, once. Nothing before a second has passed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "base/event_loop.h"

namespace agentctl::probe {

class ProgressLine {
 public:
  // "still trying, inside a sandbox"; `tried` of `all` items so far. `loop` outlives this.
  ProgressLine(EventLoop& loop, std::string sentence, std::function<std::size_t()> tried, std::size_t all);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

 private:
  void show();

  EventLoop& loop_;
  std::string sentence_;
  std::function<std::size_t()> tried_;
  std::size_t all_;
  EventLoop::TimerId timer_;
  bool is_terminal_;
  bool is_shown_ = false;
};

}  // namespace agentctl::probe
