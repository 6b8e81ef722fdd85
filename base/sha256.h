// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), by libmd.
#pragma once

#include <string>
#include <string_view>

namespace agentctl {

[[nodiscard]] std::string sha256_hex(std::string_view data);  // 64 lower-case digits

}  // namespace agentctl
