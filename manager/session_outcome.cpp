// SPDX-License-Identifier: Apache-2.0
#include "manager/session_outcome.h"

namespace agentctl::manager {

const char* to_string(EndCause cause) {
  switch (cause) {
    case EndCause::exited:
      return "exited";
    case EndCause::exec_failed:
      return "exec-failed";
    case EndCause::stopped:
      return "stopped";
    case EndCause::parent_died:
      return "parent-died";
    case EndCause::hangup:
      return "hangup";
    case EndCause::terminated:
      return "terminated";
    case EndCause::interrupted:
      return "interrupted";
    case EndCause::time_limit:
      return "time-limit";
    case EndCause::mask_lost:
      return "mask-lost";
    case EndCause::lost:
      return "supervisor-lost";
  }
  return "unknown";
}

}  // namespace agentctl::manager
