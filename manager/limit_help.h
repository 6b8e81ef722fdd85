// SPDX-License-Identifier: Apache-2.0
// A line of help for each limit, by its key in [limits], which is its long option too. Pure.
#pragma once

#include <string_view>

namespace agentctl::manager {

[[nodiscard]] const char* limit_help(std::string_view key);

}  // namespace agentctl::manager
