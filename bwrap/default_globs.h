// SPDX-License-Identifier: Apache-2.0
// Where the globs of the built-in default look: they are in every session, so they must cost next to nothing, and hide
// nothing that is no secret. They match files and links, not directories: ".env" may be a virtual environment; and in
// whatever case, for ".ENV" is read as well. Globs of the user's own have no such bounds. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace agentctl::bwrap {

// Directories below the base that are looked into: "a/b/c/.env" is found, "a/b/c/d/.env" is not.
inline constexpr std::size_t kDefaultGlobDepth = 3;

// What others made and can make again, mostly in thousands of directories: "node_modules", ".git", "target".
[[nodiscard]] bool is_left_to_tools(std::string_view directory);
// A file that shows what a secret one looks like: ".env.example", "sample.env".
[[nodiscard]] bool is_example(std::string_view name);

}  // namespace agentctl::bwrap
