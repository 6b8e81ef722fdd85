// SPDX-License-Identifier: Apache-2.0
// What must never be writable inside: the system, the home as a whole, the directories from which the user's shell
// takes its programs, and the configuration and state that govern the agent. Pure; kind policy.
#pragma once

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

[[nodiscard]] Result<void> check_project(const HostFacts& facts);
// The same for an entry of read-write.
[[nodiscard]] Result<void> check_writable(const policy::Entry& entry, const PathFact& fact, const HostFacts& facts);

// The absolute directories of the caller's $PATH, in order and as written but for doubled slashes.
[[nodiscard]] std::vector<std::string> search_directories(const std::map<std::string, std::string>& environment);

}  // namespace agentctl::bwrap
