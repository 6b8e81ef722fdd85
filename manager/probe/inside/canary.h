// SPDX-License-Identifier: Apache-2.0
// The canary process: stands outside of every sandbox, holds a secret in its arguments, environment and memory, and
// says when it is signalled. Anybody may trace it. It dies with its parent.
#pragma once

namespace agentctl::probe {

inline constexpr const char* kCanaryVariable = "AGENTCTL_CANARY_PASSWORD";

// Writes to `fd` a line with the address of the secret in its memory, then "s" for each signal.
int be_canary(int fd);

}  // namespace agentctl::probe
