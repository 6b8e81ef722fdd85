// SPDX-License-Identifier: Apache-2.0
// The effective policy of one start: built-in default < profile < /etc < the user's < command line, then narrowed by
// the project's own file. Reads files; all mistakes of all layers are reported at once.
#pragma once

#include <string>

#include "base/result.h"
#include "manager/cli.h"
#include "policy/policy.h"

namespace agentctl::manager {

struct LayeredPolicy {
  policy::Policy policy;
  std::string profile;
  std::vector<std::string> command;  // what is to run: the user's words, else the profile's
};

// `project` is the project directory (logical).
[[nodiscard]] Result<LayeredPolicy> load_layers(const StartOptions& options, const std::string& project);

}  // namespace agentctl::manager
