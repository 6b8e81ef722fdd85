// SPDX-License-Identifier: Apache-2.0
// An ExecRequest on its way through a socket to a child that may only use async-signal-safe calls: the words lie in a
// memory file, the descriptors travel beside it (unix(7), SCM_RIGHTS).
#pragma once

#include "base/result.h"
#include "bwrap/held_child.h"

namespace agentctl::bwrap {

[[nodiscard]] Result<void> send_exec_message(int socket, const ExecRequest& request);

// What the child has of it. Pointers are into a mapping that lasts until exec.
struct ReceivedExec {
  const char* program;
  char** argv;
  char** envp;
  int standard[3];
  bool controlling_terminal;
  const int* kept;
  int kept_count;
};
// Async-signal-safe. False: the other end is closed, or errno says why not.
[[nodiscard]] bool receive_exec_message(int socket, ReceivedExec& received);

}  // namespace agentctl::bwrap
