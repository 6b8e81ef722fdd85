// SPDX-License-Identifier: Apache-2.0
// Base64 with padding (RFC 4648, 4). Pure.
#pragma once

#include <string>
#include <string_view>

namespace agentctl {

[[nodiscard]] std::string base64(std::string_view bytes);

}  // namespace agentctl
