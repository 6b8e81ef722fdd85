// SPDX-License-Identifier: Apache-2.0
// -H [user@]host, which stands before the verb. Errors are of the kind usage.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace agentctl::manager::command_line {

inline constexpr const char* kHostOption = "-H,--host";

[[nodiscard]] bool is_host_option(const std::string& word);

// Takes the option and its value from the front of `words`, where it stands there.
[[nodiscard]] Result<std::optional<std::string>> take_host(std::vector<std::string>& words);

}  // namespace agentctl::manager::command_line
