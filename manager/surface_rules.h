// SPDX-License-Identifier: Apache-2.0
// Which names are of the exec surface. Pure.
#pragma once

#include <string_view>

namespace agentctl::manager {

enum class SurfaceScope {
  file,   // this name
  tree,   // this directory and each file below
  whole,  // this directory, reported once for all that is below: dependencies, build results
};

struct SurfaceRule {
  std::string_view pattern;  // the last components of a path; "*" within a component; a trailing slash: a directory
  std::string_view kind;
  std::string_view run_by;
  SurfaceScope scope = SurfaceScope::file;
};

// The rule for `path`, or null. A link may stand for a directory, so it is matched as both.
enum class SurfaceType { file, directory, link };
[[nodiscard]] const SurfaceRule* find_surface_rule(std::string_view path, SurfaceType type);

// What a hooks directory is, whatever its name (core.hooksPath).
[[nodiscard]] const SurfaceRule& git_hook_rule();

}  // namespace agentctl::manager
