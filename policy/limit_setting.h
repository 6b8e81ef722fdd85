// SPDX-License-Identifier: Apache-2.0
// One limit as the user writes it, by its key: shared by policy files, by the options of the same names and by `set`,
// so that all of them refuse the same values with the same words. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::policy {

// "memory-max", "memory-high", "swap-max", "cpu-quota", "cpu-weight", "tasks-max", "io-weight", "runtime-max", "oom".
[[nodiscard]] const std::vector<std::string_view>& limit_keys();

// Parses `text` for `key` and stores it. Errors (kind policy) start with the key: "'memory-max' must not be 0: …".
[[nodiscard]] Result<void> assign_limit(LimitSettings& limits, std::string_view key, std::string_view text,
                                        const Origin& origin);

}  // namespace agentctl::policy
