// SPDX-License-Identifier: Apache-2.0
// Splits a line into words as a POSIX shell does: quotes, backslashes, and variables by their plain names, $NAME and
// ${NAME}, whose values are never split (POSIX.1-2017, Shell Command Language, 2.2). Everything else that a shell would
// expand or act on is refused, since no shell is run. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::probe {

using LookUpVariable = std::function<std::optional<std::string>(const std::string& name)>;
[[nodiscard]] Result<std::vector<std::string>> split_words(std::string_view line, const LookUpVariable& look_up);

}  // namespace agentctl::probe
