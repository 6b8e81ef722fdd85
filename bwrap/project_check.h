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

}  // namespace agentctl::bwrap
