// SPDX-License-Identifier: Apache-2.0
// DoorLog: the file in which the door of one session keeps what it decided (egress/net_event.h): "net" beside the log
// of the session's terminal (session_log.h), 0600, gone with it. Owned by the session; written by the door alone. A
// start that does not come to a running session leaves nothing: the file has no name before, where the file system
// knows such files (not NFS: there it is removed again, unless we are killed at that moment).
#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::manager {

class DoorLog {
 public:
  // `state_dir`: of state_dir_path().
  [[nodiscard]] static Result<DoorLog> create(const std::string& state_dir, const std::string& session_id);
  DoorLog(DoorLog&& other) noexcept
      : directory_(std::move(other.directory_)),
        file_(std::move(other.file_)),
        is_to_be_removed_(std::exchange(other.is_to_be_removed_, false)) {}
  DoorLog& operator=(DoorLog&&) = delete;
  DoorLog(const DoorLog&) = delete;
  DoorLog& operator=(const DoorLog&) = delete;
  ~DoorLog();

  // For the door: one description, which goes on when this is gone.
  [[nodiscard]] Result<UniqueFd> copy() const;
  // The session runs: gives the file its name.
  [[nodiscard]] Result<void> keep();

 private:
  DoorLog(std::string directory, UniqueFd file) : directory_(std::move(directory)), file_(std::move(file)) {}

  std::string directory_;  // of the session's logs
  UniqueFd file_;
  bool is_to_be_removed_ = false;  // it has its name already
};

[[nodiscard]] std::string door_log_path(const std::string& state_dir, const std::string& session_id);

}  // namespace agentctl::manager
