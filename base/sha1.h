// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4), by libmd, for what git names by it. Two texts with the same one can be made by who knows both.
#pragma once

#include <string>
#include <string_view>

namespace agentctl {

[[nodiscard]] std::string sha1_hex(std::string_view data);  // 40 lower-case digits

}  // namespace agentctl
