// SPDX-License-Identifier: Apache-2.0
// The effective policy of one start: built-in default < profile < /etc < the user's < a trusted project's < command
// line, then narrowed by the project's own file where the user does not trust it. Reads files; all mistakes of all
// layers are reported at once.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli.h"
#include "policy/policy.h"

namespace agentctl::manager {

struct LayeredPolicy {
  policy::Policy policy;
  std::string profile;
  std::vector<std::string> command;  // what is to run: the user's words, else the profile's
  std::vector<std::string> warnings;
  // The directory whose own policy counts here; another one must not become the project.
  dev_t project_device = 0;
  ino_t project_inode = 0;
};

// `project` is the project directory (logical).
[[nodiscard]] Result<LayeredPolicy> load_layers(const StartOptions& options, const std::string& project);

// Refuses where the project found since, `canonical`, is not the directory that the policy was read for.
[[nodiscard]] Result<void> check_same_project(const LayeredPolicy& layered, const std::string& canonical);

}  // namespace agentctl::manager
