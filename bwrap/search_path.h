// SPDX-License-Identifier: Apache-2.0
// The caller's PATH: which of its directories there are, what the programs in them need around them, and what of it the
// session is shown: the agent works with the tools that the user works with, and can change none of them. Pure.
//
// A directory of PATH is shown as it is. Whoever keeps a secret in one shows it, unless `hide` names it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bwrap/host_facts.h"
#include "bwrap/layout.h"

namespace agentctl::bwrap {

// The absolute directories of the caller's $PATH, in order and as written but for doubled slashes.
[[nodiscard]] std::vector<std::string> search_directories(const std::map<std::string, std::string>& environment);

// Further paths that HostFacts::paths must know of, once it knows the directories of PATH: what the version managers
// keep beside their programs, and what tells a Python environment.
[[nodiscard]] std::vector<std::string> search_path_names(const HostFacts& facts);

// Whether the directory is a part of the project that its own tools have put into PATH: the bin directory of a Python
// environment, or node_modules/.bin.
[[nodiscard]] bool is_tool_directory_of_project(const std::string& directory, const HostFacts& facts);

// After the rules of [files]: what they hide stays hidden.
void add_search_path(const HostFacts& facts, Layout& layout);

}  // namespace agentctl::bwrap
