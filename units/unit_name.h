// SPDX-License-Identifier: Apache-2.0
// Names of our units. Ids are 8 lower-case hex digits: `\x2d` escapes break string literals of tracers. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::units {

inline constexpr std::string_view kSlice = "app-agentctl.slice";

[[nodiscard]] std::string scope_name(std::string_view session_id);  // "app-agentctl-1a2b3c4d.scope"
// The supervisor's, of a detached session: "agentctl-session-1a2b3c4d.service".
[[nodiscard]] std::string service_name(std::string_view session_id);
[[nodiscard]] bool is_session_scope(std::string_view cgroup_path);  // "/…/app-agentctl-1a2b3c4d.scope"
[[nodiscard]] bool is_session_id(std::string_view text);

}  // namespace agentctl::units
