// SPDX-License-Identifier: Apache-2.0
// The first line of an HTTP/1 request: "GET http://example.com/x HTTP/1.1". Pure; part of http_head.h.
#pragma once

#include <optional>
#include <string_view>

#include "egress/http_head.h"

namespace agentctl::egress {

// Fills method, endpoint (but for a path), path, is_connect and is_http_1_0. Nothing is wrong when it gives nothing.
[[nodiscard]] std::optional<Denial> read_request_line(std::string_view line, HttpRole role, HttpHead& head);

[[nodiscard]] bool is_token(std::string_view text);  // RFC 9110, 5.6.2

}  // namespace agentctl::egress
