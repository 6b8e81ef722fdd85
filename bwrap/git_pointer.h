// SPDX-License-Identifier: Apache-2.0
// The one-line files by which git finds its directories: `.git` of a linked worktree or a submodule, and `gitdir` and
// `commondir` in the gitdir of a worktree. Pure, and stricter than git: what git would bend into shape is no pointer.
// Sources: gitrepository-layout(5), git-worktree(1) (Details).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace agentctl::bwrap {

inline constexpr std::size_t kMostPointerBytes = 4200;  // PATH_MAX and the words around it

// The path in the text of a `.git` file: "gitdir: PATH\n". Errors (kind policy) hold only the fault.
[[nodiscard]] Result<std::string> parse_gitfile(std::string_view text);

// The path in the text of a `gitdir` or `commondir` file: "PATH\n". Errors as above.
[[nodiscard]] Result<std::string> parse_path_line(std::string_view text);

// A path found in a file of `directory`, made absolute. Not normalized: ".." is for whoever follows links to take.
[[nodiscard]] std::string path_from(const std::string& directory, const std::string& path);

}  // namespace agentctl::bwrap
