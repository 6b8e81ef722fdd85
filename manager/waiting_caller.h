// SPDX-License-Identifier: Apache-2.0
// WaitingCaller: the `start --detach` that waits for a session, as the session's supervisor has it. Until it is told
// that the session runs, our standard error is its own, so that what a start says reaches whoever asked; from then on
// it is ours again, the journal, and nothing of the starter's is held.
#pragma once

#include <sys/ioctl.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "manager/detached_channel.h"

namespace agentctl::manager {

class WaitingCaller {
 public:
  // Takes the channel from our standard input, which becomes /dev/null.
  [[nodiscard]] static Result<WaitingCaller> take(const Handover& handover);

  [[nodiscard]] const std::string& session_id() const { return session_id_; }
  [[nodiscard]] winsize window() const { return window_; }
  // Can be read when it has heard, or has gone.
  [[nodiscard]] int fd() const { return channel_.get(); }

  // An Error once it has gone.
  [[nodiscard]] Result<void> check_waits();
  void tell_running(const std::string& name, const std::string& id);
  // What it is to exit with; nothing if the session has run.
  void tell_ended(int status);
  // Of an fd() that can be read; closes it. False: it has gone, and nobody knows of the session.
  [[nodiscard]] bool has_heard();

 private:
  WaitingCaller(UniqueFd channel, UniqueFd own_error, const DetachedRequest& request);
  void take_own_error_back();

  UniqueFd channel_;
  UniqueFd own_error_;
  std::string session_id_;
  winsize window_{};
  bool told_ = false;
};

}  // namespace agentctl::manager
