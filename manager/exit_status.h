// SPDX-License-Identifier: Apache-2.0
// The documented exit statuses, all in one place (agentctl(1), EXIT STATUS). `start` passes the agent's own status
// through, so what is ours lies in the range that env(1), timeout(1) and shells reserve.
#pragma once

#include "base/error.h"

namespace agentctl::manager {

inline constexpr int kExitSuccess = 0;
inline constexpr int kExitRuntime = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitPolicy = 3;
inline constexpr int kExitTimeLimit = 124;
inline constexpr int kExitStartFailed = 125;
inline constexpr int kExitCannotExecute = 126;
inline constexpr int kExitNotFound = 127;
inline constexpr int kExitSignalBase = 128;

// `starting`: the error belongs to `start`, where a runtime failure of ours must not look like the agent's status.
[[nodiscard]] constexpr int exit_status_of(ErrorKind kind, bool starting) {
  switch (kind) {
    case ErrorKind::usage:
      return kExitUsage;
    case ErrorKind::policy:
      return kExitPolicy;
    case ErrorKind::environment:
    case ErrorKind::bus:
    case ErrorKind::system:
    case ErrorKind::internal:
      return starting ? kExitStartFailed : kExitRuntime;
  }
  return kExitRuntime;
}

}  // namespace agentctl::manager
