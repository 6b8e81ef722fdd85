// SPDX-License-Identifier: Apache-2.0
// Who calls and from where: identity, environment, home, and the project as it was named. Reads environ, passwd(5)
// (only where the environment does not say) and the working directory.
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

struct Account {
  std::string user;
  std::string home;
};

[[nodiscard]] std::map<std::string, std::string> read_environment();
// $USER or $LOGNAME and $HOME; what is missing there from the user database, else the number and "".
[[nodiscard]] Account find_account(uid_t uid, const std::map<std::string, std::string>& environment);
// Refuses (kind environment) in a Flatpak, where neither the programs of the host nor its processes are to be had.
[[nodiscard]] Result<void> check_caller_is_on_host();
// `named` "" is the working directory, under the name that $PWD gives it when that is the same directory.
[[nodiscard]] Result<ProjectFact> find_project(const std::string& named,
                                               const std::map<std::string, std::string>& environment,
                                               PathResolver& resolver);

}  // namespace agentctl::bwrap
