// SPDX-License-Identifier: Apache-2.0
// The directory that a program needs around it, guessed from the layout alone, without names of tools:
//   below a node_modules directory      the outermost one
//   PREFIX/bin with PREFIX/lib beside   PREFIX (a version manager's tree, a Python environment, a JDK)
//   a shims directory                   the directory above it
//   found through PATH                  the directory that holds it
// Anything else, and whatever would take in the home or our own state, is just the file.
#pragma once

#include <string>
#include <vector>

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

struct TreeRequest {
  std::string program;  // canonical
  bool found_through_path = false;
  const std::vector<std::string>& never_whole;  // no tree may be, or hold, one of these canonical paths
};

[[nodiscard]] std::string find_install_tree(const TreeRequest& request, PathResolver& resolver);

}  // namespace agentctl::bwrap
