// SPDX-License-Identifier: Apache-2.0
// The text of a new profile of the user's: another profile's, or a bare one, with the agent's full path. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::policy {

// `from` is a profile's text, or "" for a bare one; `program` is an absolute path. The first word of its command is
// replaced, the rest stays. Errors: a text whose command is not written as 'command = ["…"'.
[[nodiscard]] Result<std::string> make_profile_text(std::string_view name, std::string_view from,
                                                    const std::string& program);

}  // namespace agentctl::policy
