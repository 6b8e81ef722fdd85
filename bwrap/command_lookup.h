// SPDX-License-Identifier: Apache-2.0
// Finds the program that a command names and what it needs beside itself: the ends of its link chain, the interpreters
// of "#!" lines, and the install tree around each (a node_modules directory, a prefix with bin and lib). Nothing is
// run. The tree is a guess from the layout: what it misses, the user names with read-only.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

struct CommandRequest {
  std::vector<std::string> words;
  std::string search_path;           // the caller's $PATH; relative entries and those in the project are passed over
  ProjectFact project;               // a word with a slash counts from here
  std::vector<std::string> visible;  // canonical directories that the sandbox shows anyway: /usr, /opt …
  std::vector<std::string> never_whole;  // canonical paths that no needed tree may be, or hold: the home, our state
};

// Kind environment; sys_errno is ENOENT when there is no such program, EACCES when there is one that cannot be run.
[[nodiscard]] Result<CommandFact> look_up_command(const CommandRequest& request, PathResolver& resolver);

}  // namespace agentctl::bwrap
