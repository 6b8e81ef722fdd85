// SPDX-License-Identifier: Apache-2.0
// LiveTable: what `status --watch` shows at one moment: a line a session with bars for memory, CPU and tasks against
// their limits, fitted to the window. CPU is what was used since the picture before. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "manager/session_view.h"

namespace agentctl::manager {

struct Window {
  std::size_t columns = 80;
  std::size_t rows = 24;
  bool has_colours = false;
};

class LiveTable {
 public:
  // Lines without line ends, at most `window.rows`, none wider than `window.columns`. `now_usec`: CLOCK_REALTIME;
  // `monotonic_usec`: what CPU is measured by.
  [[nodiscard]] std::vector<std::string> draw(const std::vector<SessionView>& views, const Window& window,
                                              std::uint64_t now_usec, std::uint64_t monotonic_usec);

 private:
  struct Sample {
    std::uint64_t cpu_usec = 0;
    std::uint64_t at_usec = 0;
  };
  std::map<std::string, Sample> before_;  // by session id
};

}  // namespace agentctl::manager
