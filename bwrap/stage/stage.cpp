// SPDX-License-Identifier: Apache-2.0
// The stage: bwrap's payload, a small static program bound read-only into the sandbox. It gives the agent the signal
// dispositions and the terminal that bwrap's own processes must not have, tells the supervisor that the sandbox stands
// (the supervisor then proves it from outside, by this process's /proc entries), waits for the last word, and becomes
// the agent. It runs with every wall already up and holds nothing that the agent may not have.
//
//   stage FD SCOPES PROGRAM ARGV0 [ARG…]     FD: a SOCK_SEQPACKET socket, SCOPES: see stage_protocol.h
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bwrap/child_state.h"
#include "bwrap/landlock_scope.h"
#include "bwrap/stage_protocol.h"

namespace {

using agentctl::bwrap::StageMessage;
using agentctl::bwrap::StageMessageKind;

// A process group of its own in the foreground: then keys such as Ctrl-C reach the agent and nobody else. A background
// process that calls tcsetpgrp is sent SIGTTOU unless it ignores it (tcsetpgrp(3)).
void take_foreground() {
  ::setpgid(0, 0);
  ::signal(SIGTTOU, SIG_IGN);
  ::tcsetpgrp(0, ::getpid());  // ENOTTY without a terminal, which is fine
}

void send(int socket, StageMessageKind kind, int error) {
  const StageMessage message{kind, error};
  (void)::send(socket, &message, sizeof message, MSG_NOSIGNAL);
}

// Gives 0 or an errno.
int close_scopes(const char* asked) {
  namespace bwrap = agentctl::bwrap;
  if (std::strcmp(asked, bwrap::kCloseScopes) != 0) return 0;
  return bwrap::close_landlock_scopes(bwrap::kScopeAbstractSockets | bwrap::kScopeSignals) ? 0 : errno;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return agentctl::bwrap::kStageFailed;
  const int socket = ::atoi(argv[1]);
  if (::fcntl(socket, F_SETFD, FD_CLOEXEC) != 0) return agentctl::bwrap::kStageFailed;
  take_foreground();
  send(socket, StageMessageKind::ready, close_scopes(argv[2]));
  char word = 0;
  ssize_t count = 0;
  do {
    count = ::recv(socket, &word, 1, 0);
  } while (count < 0 && errno == EINTR);
  if (count != 1) return agentctl::bwrap::kStageFailed;  // the supervisor is gone, or refused

  agentctl::bwrap::reset_signals(false);
  ::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
  ::execv(argv[3], argv + 4);
  const int error = errno;
  send(socket, StageMessageKind::exec_failed, error);
  return error == ENOENT || error == ENOTDIR ? 127 : 126;
}
