// SPDX-License-Identifier: Apache-2.0
// What the user's own git configuration (~/.gitconfig, ~/.config/git/config, with what they include) says, and which
// files it names: without those git complains inside, or acts differently. These files are the user's word, unlike a
// repository's: nobody inside can write them. Files that git reads are shown; programs that it runs are not, since they
// are made to give out secrets, and a start says which are missing. Source: git-config(1), "CONDITIONAL INCLUDES".
#pragma once

#include <string>
#include <vector>

#include "bwrap/git_config.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

struct GitUserConfig {
  std::vector<GitSetting> settings;   // of all files, in git's order
  std::vector<PathFact> read;         // included files, ignore lists, templates, hooks
  std::vector<PathFact> run;          // credential helpers, gpg, editors, by absolute path
  std::vector<std::string> warnings;  // files that cannot be used, as git cannot use them either
};

// `home` as named; `gitdir` is the project's, for includes that depend on it.
[[nodiscard]] GitUserConfig read_git_user_config(const std::string& home, const std::string& gitdir,
                                                 PathResolver& resolver);

}  // namespace agentctl::bwrap
