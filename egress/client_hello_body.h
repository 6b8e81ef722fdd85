// SPDX-License-Identifier: Apache-2.0
// The message behind the headers of records and handshake: a whole ClientHello. Pure; part of client_hello.h.
#pragma once

#include <string_view>
#include <variant>

#include "egress/client_hello.h"

namespace agentctl::egress {

[[nodiscard]] std::variant<ClientHello, Denial> read_client_hello(std::string_view message);

}  // namespace agentctl::egress
