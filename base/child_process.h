// SPDX-License-Identifier: Apache-2.0
// ChildProcess: sole owner of a forked process of ours that executes no program, or does so itself; kills and reaps it
// at destruction. Until it is reaped its number is nobody else's, so that a signal cannot reach another. Not for a
// process that is to be asked to end first. Sources: fork(2), pidfd_open(2), wait(2).
#pragma once

#include <sys/types.h>

#include <functional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl {

class ChildProcess {
 public:
  // `itself`: `run` ties its life to its parent's with die_with(), which a change of credentials would undo.
  enum class DiesWithParent { at_once, itself };

  // `run` runs in the child, with all descriptors and the signal mask of the parent; the child ends with status 0 when
  // it returns. Destructors of what the parent holds do not run there.
  [[nodiscard]] static Result<ChildProcess> fork(const std::function<void()>& run,
                                                 DiesWithParent when = DiesWithParent::at_once);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }          // 0 once it is reaped or moved away
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }  // readable when it has ended
  void kill() const;                                        // SIGKILL; it is still to be reaped
  // Waits for its end, however long that takes, and gives the status of waitpid(2); 0 when there is none to wait for.
  int wait();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_ = 0;
  UniqueFd pidfd_;
};

}  // namespace agentctl
