// SPDX-License-Identifier: Apache-2.0
// HeldChild: the process that will become bwrap, forked early and stopped at a socket, so that it can be put into a
// scope and proven there, while the supervisor still works out what it is to execute. Owner: the supervisor. Until
// release() nothing of bwrap or of the agent has run; destroying the child ends it.
//
// In the child, at once: PDEATHSIG with a getppid check (prctl(2)), a session of its own, a new session keyring, no
// core dumps, HUP INT QUIT TERM TSTP ignored (bwrap's own processes ignore the keys, the stage resets them for the
// agent), a higher oom_score_adj. At release: the standard streams, the pty as its controlling terminal, no descriptor
// but the named. Does not protect against a parent that forks from a thread which ends: PDEATHSIG follows the thread.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/paths.h"

namespace agentctl::bwrap {

// Descriptors that the program gets beside 0, 1 and 2: the first has this number there, each further one the next.
inline constexpr int kFirstKeptFd = 64;

struct ExecRequest {
  HostPath program;                      // absolute
  std::vector<std::string> arguments;    // arguments[0] is the program's own name
  std::vector<std::string> environment;  // "NAME=value", the whole of it
  std::vector<int> kept_fds;             // as the supervisor knows them; become kFirstKeptFd, kFirstKeptFd + 1, …
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  bool controlling_terminal = false;  // standard_input becomes it
};

class HeldChild {
 public:
  [[nodiscard]] static Result<HeldChild> fork();
  HeldChild(HeldChild&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)),
        pidfd_(std::move(other.pidfd_)),
        gate_(std::move(other.gate_)),
        report_(std::move(other.report_)),
        warnings_(std::move(other.warnings_)) {}
  HeldChild& operator=(HeldChild&&) = delete;
  ~HeldChild();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }

  // Lets the child go on to exec and waits for that. An exec that fails is an Error.
  [[nodiscard]] Result<void> release(const ExecRequest& request);

  // What the child could not do but could go on without, known after release(): the session keyring (EDQUOT).
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  // Gives up ownership: the caller reaps the process.
  pid_t detach();

 private:
  HeldChild(pid_t pid, UniqueFd pidfd, UniqueFd gate, UniqueFd report)
      : pid_(pid), pidfd_(std::move(pidfd)), gate_(std::move(gate)), report_(std::move(report)) {}

  pid_t pid_;
  UniqueFd pidfd_;
  UniqueFd gate_;    // one message with the request releases, end of file aborts
  UniqueFd report_;  // read end: one entry per step that failed, end of file at exec
  std::vector<std::string> warnings_;
};

}  // namespace agentctl::bwrap
