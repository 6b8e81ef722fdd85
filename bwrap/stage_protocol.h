// SPDX-License-Identifier: Apache-2.0
// What the stage and the supervisor say to each other over a SOCK_SEQPACKET socket pair. The stage sends `ready`; the
// kernel adds its credentials (SCM_CREDENTIALS), whose pid is the stage's as the supervisor sees it. The supervisor
// answers with one byte. The stage then execs: the socket closes (success), or `exec_failed` arrives.
#pragma once

#include <cstdint>

namespace agentctl::bwrap {

enum class StageMessageKind : std::int32_t { ready = 1, exec_failed = 2 };

struct StageMessage {
  StageMessageKind kind;
  std::int32_t error;  // errno: ready: of what was asked of it; exec_failed: of the exec
};

inline constexpr int kStageFailed = 125;

// What the stage is asked to do to itself before it is ready: see landlock_scope.h.
inline constexpr const char* kCloseScopes = "close-scopes";
inline constexpr const char* kLeaveScopes = "-";

}  // namespace agentctl::bwrap
