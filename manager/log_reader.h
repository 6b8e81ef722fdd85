// SPDX-License-Identifier: Apache-2.0
// LogReader: reads a session's log (session_log.h) from its beginning, and then what is added.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class LogReader {
 public:
  // `directory`: of log_directory(). It need not be there.
  explicit LogReader(std::string directory) : directory_(std::move(directory)) {}

  struct Part {
    std::string bytes;           // none: there is no more at present
    bool follows_a_gap = false;  // what stood before was dropped
  };
  [[nodiscard]] Result<Part> read();

 private:
  [[nodiscard]] Result<bool> open_next();

  std::string directory_;
  UniqueFd segment_;
  std::optional<unsigned> number_;
  bool follows_a_gap_ = false;
};

}  // namespace agentctl::manager
