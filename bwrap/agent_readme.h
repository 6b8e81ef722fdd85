// SPDX-License-Identifier: Apache-2.0
// What a session is told of its own limits: a short text for the agent at kReadmePath, so that it takes a refusal for
// what it is, stops and asks, and neither tries again nor blames the machine. Pure. Names the project and no other
// path: neither what is hidden nor the files of a policy are the agent's to know.
#pragma once

#include <optional>
#include <string>

#include "bwrap/plan.h"
#include "policy/limits.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

inline constexpr const char* kReadmePath = "/run/agentctl/README";

// `limits`: none for a session that runs without.
[[nodiscard]] std::string agent_readme(const Plan& plan, policy::HomeMode home,
                                       const std::optional<policy::Limits>& limits);
// Puts that text into the plan.
void add_agent_readme(policy::HomeMode home, const std::optional<policy::Limits>& limits, Plan& plan);

}  // namespace agentctl::bwrap
