// SPDX-License-Identifier: Apache-2.0
// DoorLogReader: reads the lines of a door's log (door_log.h) from its beginning, and then what is added, while the
// door writes. When the log is full the door drops its older half in place: where that happened is looked up by the
// last line that was read.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class DoorLogReader {
 public:
  // It need not be there yet.
  explicit DoorLogReader(std::string path) : path_(std::move(path)) {}

  struct Part {
    std::vector<std::string> lines;  // whole ones, without their ends; none: there are no more at present
    bool follows_a_gap = false;      // what stood between was dropped unread
  };
  [[nodiscard]] Result<Part> read();
  [[nodiscard]] bool is_there() const { return file_.valid(); }

 private:
  [[nodiscard]] Result<bool> is_where_it_was() const;
  [[nodiscard]] Result<bool> find_place();

  std::string path_;
  UniqueFd file_;
  std::uint64_t offset_ = 0;  // behind the end of a line
  std::string last_;
};

}  // namespace agentctl::manager
