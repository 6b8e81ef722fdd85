// SPDX-License-Identifier: Apache-2.0
// The keys that take one of a few words, shared by policy files and by the options of the same meaning. Pure. Errors
// (kind policy) hold only the fault: 'must be "host" or "none"; got 'moon''.
#pragma once

#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::policy {

[[nodiscard]] Result<HomeMode> parse_home_mode(std::string_view word);        // [files] home
[[nodiscard]] Result<NetworkMode> parse_network_mode(std::string_view word);  // [network] mode
[[nodiscard]] std::string_view to_string(NetworkMode mode);

}  // namespace agentctl::policy
