// SPDX-License-Identifier: Apache-2.0
// The small files of a cgroup: one number, or lines of "key value". Absent, unreadable and malformed are the same here:
// no value. `dir` may be invalid (-1). "max" and v1's largest page count read as kInfinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace agentctl::units {

[[nodiscard]] std::optional<std::string> read_text(const UniqueFd& dir, const char* file);
[[nodiscard]] std::optional<std::uint64_t> read_number(const UniqueFd& dir, const char* file);
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);                      // pure
[[nodiscard]] std::optional<std::uint64_t> find_value(std::string_view text, std::string_view key);  // pure

}  // namespace agentctl::units
