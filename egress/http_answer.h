// SPDX-License-Identifier: Apache-2.0
// What the door itself answers over HTTP: the tunnel is there, or a denial, whose body tells the agent which host, why,
// and what the user can type. Pure.
#pragma once

#include <string>
#include <string_view>

#include "egress/denial.h"

namespace agentctl::egress {

inline constexpr std::string_view kConnected = "HTTP/1.1 200 Connection established\r\n\r\n";

[[nodiscard]] unsigned status_of(
    Reason reason);  // 403 for what the policy says, 400 for nonsense, 502 and 504 for failures

// `without_body`: to a HEAD.
[[nodiscard]] std::string denial_answer(const Denial& denial, std::string_view session, bool without_body = false);

}  // namespace agentctl::egress
