// SPDX-License-Identifier: Apache-2.0
// One event of a door's log (egress/net_event.h), read back from its line of JSON, as a line for people. Pure. What it
// says came from inside in part, and is made printable here.
#pragma once

#include <string>
#include <string_view>

#include "manager/json_value.h"

namespace agentctl::manager {

// "2026-11-30 12:03:04  denied   example.com:22 (connect): it is allowed on other ports only; agentctl allow s …",
// without a line end. `session`: a running session's name, for what can be typed; empty: it is over.
[[nodiscard]] std::string net_line(const JsonValue& event, std::string_view session);

}  // namespace agentctl::manager
