// SPDX-License-Identifier: Apache-2.0
// Canaries that are neither files nor sockets: a key, System V and POSIX shared memory and message queues.
// Where the kernel has none of a sort, or the user's quota is used up, that sort is an Error, and its items are
// skipped.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

// In a new session keyring that this process joins: what it starts from now on has it, the caller's has not.
[[nodiscard]] Result<std::unique_ptr<Canary>> make_key();
// Keys and names ("/NAME") are free ones.
[[nodiscard]] Result<std::unique_ptr<Canary>> make_sysv_memory(key_t key);
[[nodiscard]] Result<std::unique_ptr<Canary>> make_sysv_queue(key_t key);
[[nodiscard]] Result<std::unique_ptr<Canary>> make_posix_memory(const std::string& name);
[[nodiscard]] Result<std::unique_ptr<Canary>> make_posix_queue(const std::string& name);
[[nodiscard]] Result<key_t> random_key();

}  // namespace agentctl::probe
