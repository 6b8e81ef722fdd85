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

  // Waits for `ready`; gives the stage's pid as this process sees it. An Error with ECONNRESET when the other end
  // closed first (bwrap failed), ETIMEDOUT at the deadline.
  [[nodiscard]] Result<pid_t> wait_ready(unsigned deadline_msec);
  // After that: the errno with which the stage could not restrict itself (stage_protocol.h); 0 if it could or need not.
  [[nodiscard]] int scope_error() const { return scope_error_; }
  // Says the last word.
  [[nodiscard]] Result<void> let_go();
  // Waits until the agent is executing: 0, or the errno with which its exec failed.
  [[nodiscard]] Result<int> wait_exec();

 private:
  StageChannel(UniqueFd ours, UniqueFd theirs) : ours_(std::move(ours)), theirs_(std::move(theirs)) {}
  UniqueFd ours_;
  UniqueFd theirs_;
  int scope_error_ = 0;
};

}  // namespace agentctl::bwrap
