// SPDX-License-Identifier: Apache-2.0
// EnteringChild: a process that goes into a running sandbox and executes one more program there, behind the same walls
// as the sandbox's first: its namespaces, both seccomp filters, no capability in any set, NoNewPrivs, a new session
// keyring, no core dumps, no descriptor but the three standard streams.
//
// Two processes: the one that fork() makes is held until enter(), so that it can be put into the session's cgroup and
// proven there; a pid namespace is entered by a child only, which then is the caller's child as well (CLONE_PARENT) and
// executes the program. Until that exec neither can be traced or read from inside, for both are not dumpable
// (prctl(2), PR_SET_DUMPABLE) and hold the capabilities that entering takes. The program dies with the caller
// (PDEATHSIG), and with the sandbox, whose pid namespace it is in. Sources: setns(2), capabilities(7), seccomp(2).
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace agentctl::bwrap {

struct EntryRequest {
  int leader_pidfd = -1;       // of a process inside
  int namespaces = 0;          // CLONE_NEW… of those that are the sandbox's own
  bool nested = false;         // which deny filter the sandbox has
  bool closes_scopes = false;  // as the sandbox's first process: see landlock_scope.h
  std::string directory;       // as all paths here, inside
  std::string program;         // absolute
  int program_file = -1;       // executed instead of it: it need not be seen inside
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  int standard_input = -1;
  int standard_output = -1;
  int standard_error = -1;
  bool controlling_terminal = false;  // standard_input becomes it
};

class EnteringChild {
 public:
  [[nodiscard]] static Result<EnteringChild> fork(const EntryRequest& request);
  EnteringChild(EnteringChild&& other) noexcept
      : held_(std::exchange(other.held_, 0)), gate_(std::move(other.gate_)), report_(std::move(other.report_)) {}
  EnteringChild& operator=(EnteringChild&&) = delete;
  ~EnteringChild();

  [[nodiscard]] pid_t pid() const { return held_; }

  // Gives the process that executes the program, a child of the caller's to reap. An Error has the errno of the step
  // that failed; `sys_errno` of a failed exec is what execve(2) said, and its kind is policy.
  [[nodiscard]] Result<pid_t> enter();

 private:
  EnteringChild(pid_t held, UniqueFd gate, UniqueFd report)
      : held_(held), gate_(std::move(gate)), report_(std::move(report)) {}

  pid_t held_;
  UniqueFd gate_;    // a byte lets it go on, end of file ends it
  UniqueFd report_;  // read end: the program's process, or the step that failed; end of file at exec
};

}  // namespace agentctl::bwrap
