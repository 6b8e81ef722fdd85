// SPDX-License-Identifier: Apache-2.0
// Rules across fields of one merged Policy: impossible combinations, limits below what a session needs, unusable names,
// read-write entries that cover what must never be writable. Pure; what needs the file system is checked by bwrap/.
#pragma once

#include <vector>

#include "policy/policy.h"
#include "policy/policy_reader.h"

namespace agentctl::policy {

[[nodiscard]] std::vector<Diagnostic> check(const Policy& policy);

}  // namespace agentctl::policy
