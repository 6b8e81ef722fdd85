// SPDX-License-Identifier: Apache-2.0
// For a helper process of ours: its life is tied to its parent's. A change of credentials (setns(2) into a user
// namespace, execve(2) of a set-user-ID program) undoes it: call it again then. Source: PR_SET_PDEATHSIG in prctl(2).
#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace agentctl {

// Does not return if `parent` has died already.
inline void die_with(pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);  // it died before the line above
}

}  // namespace agentctl
