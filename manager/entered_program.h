// SPDX-License-Identifier: Apache-2.0
// EnteredProgram: from the exec of a further program in a session to its end, beside the caller's terminal or streams.
// Keys go to the program; TERM, HUP, INT and QUIT that reach agentctl are passed on to its process group, and twice
// means KILL. What it has started and put into another group stays in the session.
#pragma once

#include <sys/types.h>

#include <optional>

#include "base/event_loop.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/streams.h"

namespace agentctl::manager {

class EnteredProgram {
 public:
  // `process` is a child of ours, reaped here. Gives its exit status as a shell would.
  [[nodiscard]] static Result<int> watch(pid_t process, Streams& streams);

 private:
  EnteredProgram(pid_t process, UniqueFd pidfd, Streams& streams)
      : process_(process), pidfd_(std::move(pidfd)), streams_(streams) {}
  [[nodiscard]] Result<int> run();
  void on_signal(int signal);
  void check_stopped_soon();
  void suspend();

  pid_t process_;
  UniqueFd pidfd_;
  Streams& streams_;
  EventLoop loop_;
  bool ended_ = false;
  bool asked_to_end_ = false;
  std::optional<EventLoop::TimerId> stop_timer_;
};

}  // namespace agentctl::manager
