// SPDX-License-Identifier: Apache-2.0
// A policy as a list of rules, each with the place where it was written: what `explain` prints. Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/limits.h"
#include "policy/policy.h"

namespace agentctl::policy {

struct Rule {
  std::string table;  // "files"
  std::string key;    // "read-only"
  std::string value;  // "~/notes"; that of a variable whose name is a secret's is not told
  Origin origin;
};

// In the order of the tables; limits that nobody set with what they come to on `machine`.
[[nodiscard]] std::vector<Rule> list_rules(const Policy& policy, const MachineSize& machine);

}  // namespace agentctl::policy
