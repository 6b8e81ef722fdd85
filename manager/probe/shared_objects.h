// SPDX-License-Identifier: Apache-2.0
// Canaries that are neither files nor sockets: a key, System V and POSIX shared memory and message queues.
// Where the kernel has none of a sort, or the user's quota is used up, that sort is an Error, and its items are
// skipped.
#pragma once

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

// In a new session keyring that this process joins: what it starts from now on has it, the caller's has not.
[[nodiscard]] Result<std::unique_ptr<Canary>> make_key();
[[nodiscard]] Result<std::unique_ptr<Canary>> make_sysv_memory();
[[nodiscard]] Result<std::unique_ptr<Canary>> make_sysv_queue();
[[nodiscard]] Result<std::unique_ptr<Canary>> make_posix_memory();
[[nodiscard]] Result<std::unique_ptr<Canary>> make_posix_queue();

}  // namespace agentctl::probe
