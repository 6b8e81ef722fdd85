// SPDX-License-Identifier: Apache-2.0
// One entry of a list: what may be written, and when two entries speak of the same thing. Pure: whether a path exists,
// and where it leads, is bwrap/host_facts.h's to find out.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::policy {

[[nodiscard]] inline bool is_removal(std::string_view entry) { return entry.starts_with('!'); }
[[nodiscard]] std::string_view without_mark(std::string_view entry);  // "~/x" for "!~/x" and for "~/x"

// "$HOME/x//y/" -> "~/x/y"; "./a" -> "a". Purely lexical; ".." is left alone, for a link may stand before it.
[[nodiscard]] std::string normal_path(std::string_view path);

enum class Globs { refused, allowed };

// A path entry: "~", "~/x", "$HOME/x", "/x", "x" or "./x" (these two count from the project), after an optional "!".
// Errors (kind policy) hold only the fault: "must not be empty".
[[nodiscard]] Result<void> check_path_entry(std::string_view entry, Globs globs);
// An entry of [env] pass: a name, or a prefix and "*".
[[nodiscard]] Result<void> check_pass_entry(std::string_view entry);
// A name and value of [env] set.
[[nodiscard]] Result<void> check_env_value(std::string_view name, std::string_view value);

}  // namespace agentctl::policy
