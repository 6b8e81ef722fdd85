// SPDX-License-Identifier: Apache-2.0
// The keys of a git configuration file by which git on the host runs or obeys something (git-config(1)). Read strictly
// and without git: no program of the host is run for a project. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agentctl::manager {

struct GitConfigKeys {
  std::vector<std::string> running;  // "core.fsmonitor", "alias.st": as written, lower case but for subsections
  std::string hooks_path;            // the last core.hooksPath; empty: none
  bool damaged = false;              // a line that is no git configuration
};

[[nodiscard]] GitConfigKeys read_git_config_keys(std::string_view text);

}  // namespace agentctl::manager
