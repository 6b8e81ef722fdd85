// SPDX-License-Identifier: Apache-2.0
// WatchScreen: the user's terminal while a picture is drawn on it over and over: alternate screen, no cursor, keys
// without echo and without Enter; as it was at destruction. Ctrl-C stays a signal. Sources: termios(3),
// console_codes(4); "alternate screen" is xterm's mode 1049. SIGKILL cannot be met: `reset` helps then.
#pragma once

#include <termios.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/live_table.h"

namespace agentctl::manager {

class WatchScreen {
 public:
  // Standard output must be a terminal; keys are read where standard input is one too.
  [[nodiscard]] static Result<WatchScreen> take();
  WatchScreen(WatchScreen&& other) noexcept;
  WatchScreen& operator=(WatchScreen&&) = delete;
  ~WatchScreen();

  [[nodiscard]] bool has_keys() const { return saved_.has_value(); }
  [[nodiscard]] Window window() const;
  void show(const std::vector<std::string>& lines) const;
  void leave();
  void enter();

 private:
  explicit WatchScreen(std::optional<termios> saved) : saved_(saved) {}

  std::optional<termios> saved_;  // of standard input
  bool is_shown_ = false;
};

}  // namespace agentctl::manager
