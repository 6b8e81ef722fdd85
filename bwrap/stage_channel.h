// SPDX-License-Identifier: Apache-2.0
// StageChannel: the supervisor's end of the talk with the stage (stage_protocol.h). The other end is passed to the
// child as a kept descriptor and closed here after the fork.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

class StageChannel {
 public:
  [[nodiscard]] static Result<StageChannel> create();

  [[nodiscard]] int fd() const { return ours_.get(); }
  [[nodiscard]] int stage_end() const { return theirs_.get(); }
  void close_stage_end() { theirs_.reset(); }

  struct Ready {
    pid_t pid = 0;        // as this process sees it
    int scope_error = 0;  // errno with which the stage could not restrict itself
  };
  // Waits for `ready`. An Error with ECONNRESET when the other end
  // closed first (bwrap failed), ETIMEDOUT at the deadline.
  [[nodiscard]] Result<Ready> wait_ready(unsigned deadline_msec);
  // Says the last word.
  [[nodiscard]] Result<void> let_go();
  // Waits until the agent is executing: 0, or the errno with which its exec failed.
  [[nodiscard]] Result<int> wait_exec();

 private:
  StageChannel(UniqueFd ours, UniqueFd theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}
  UniqueFd ours_;
  UniqueFd theirs_;
};

}  // namespace agentctl::bwrap
