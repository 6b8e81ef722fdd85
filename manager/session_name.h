// SPDX-License-Identifier: Apache-2.0
// A session's id and name. Pure but for the id's randomness (getrandom(2)).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::manager {

[[nodiscard]] Result<std::string> make_session_id();  // 8 lower-case hex digits

// "claude-webshop" from the command "/opt/bin/claude" and the project "/home/u/Web Shop": lower-case letters, digits,
// '.', '_' and '-'; made unique among `taken` by "-2", "-3", …
[[nodiscard]] std::string make_session_name(std::string_view command, std::string_view project,
                                            const std::vector<std::string>& taken);

[[nodiscard]] bool is_session_name(std::string_view name);

// A name given by the user: 1 to 64 of the characters above, beginning with a letter or digit, not taken.
[[nodiscard]] Result<void> check_session_name(std::string_view name, const std::vector<std::string>& taken);

}  // namespace agentctl::manager
