// SPDX-License-Identifier: Apache-2.0
// Reads the text of a git configuration file, for the few settings that say where git looks for files. Pure. Includes
// are entries like others and are not followed. Strict: a fault anywhere makes the whole file unreadable, as it does
// for git. Source: git-config(1), "Syntax".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace agentctl::bwrap {

inline constexpr std::size_t kMostConfigBytes = 1U << 20;

struct GitSetting {
  std::string key;    // "core.worktree", "remote.Origin.url": section and name in lower case, subsection as written
  std::string value;  // "true" for a name without "="
};

// Errors (kind policy) hold only the fault: "line 3: a value that is not closed".
[[nodiscard]] Result<std::vector<GitSetting>> parse_git_config(std::string_view text);

// The last one wins, as for git; nothing when the key is not there.
[[nodiscard]] std::optional<std::string> find_setting(const std::vector<GitSetting>& settings, std::string_view key);

}  // namespace agentctl::bwrap
