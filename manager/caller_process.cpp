// SPDX-License-Identifier: Apache-2.0
#include "manager/caller_process.h"

#include <unistd.h>

namespace agentctl::manager {
namespace {

CallerProcess caller;

}  // namespace

void note_caller() {
  caller.pid = ::getppid();
  if (caller.pid <= 0) return;
  const pid_t session = ::getsid(0);
  caller.has_ended = session != ::getpid() && ::getsid(caller.pid) != session;
}

const CallerProcess& noted_caller() { return caller; }

}  // namespace agentctl::manager
