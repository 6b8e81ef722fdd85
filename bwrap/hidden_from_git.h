// SPDX-License-Identifier: Apache-2.0
// What is hidden in the project is empty inside: `git add -A` would put it into a commit so. git inside is therefore
// told to ignore it, by a list of ours that core.excludesFile names in the session's environment and that holds the
// user's own as well. Nothing changes on the host. It helps against mistakes only: `git add -f`, and a git without this
// environment, add the file all the same. Pure. Sources: gitignore(5); git-config(1), "GIT_CONFIG_COUNT".
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "bwrap/plan.h"

namespace agentctl::bwrap {

inline constexpr const char* kIgnoreListPath = "/run/agentctl/git-ignore";

using GitSettings = std::vector<std::pair<std::string, std::string>>;

// Once plan.operations and plan.hidden_names are known. Adds the list and the setting where something is hidden in the
// project; a warning names the files for which it does not help: where a .gitignore has them not ignored, where the
// repository or the environment (`is_environment_taken`) has its own say, where the user's own list cannot be read.
void hide_from_git(const policy::FileSettings& files, const HostFacts& facts, const Layout& layout,
                   bool is_environment_taken, Plan& plan, GitSettings& settings);

// The variables by which git has these settings: GIT_CONFIG_COUNT and its like.
[[nodiscard]] std::vector<std::string> git_variables(const GitSettings& settings);

}  // namespace agentctl::bwrap
