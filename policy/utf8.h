// SPDX-License-Identifier: Apache-2.0
// Where text stops being UTF-8 (RFC 3629). Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace agentctl::policy {

// The first byte that belongs to no character; npos when all of it is UTF-8.
[[nodiscard]] std::size_t find_invalid_utf8(std::string_view text);

}  // namespace agentctl::policy
