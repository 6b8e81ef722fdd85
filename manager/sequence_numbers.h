// SPDX-License-Identifier: Apache-2.0
// The numbers of a control sequence: "1;31" gives 1 and 31. An empty one is 0; of "4:3" only the first part counts.
// None where something else stands there, or a number that no program needs (five digits at most, and 32767). Pure.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace agentctl::manager {

[[nodiscard]] std::optional<std::vector<int>> sequence_numbers(std::string_view parameters);

}  // namespace agentctl::manager
