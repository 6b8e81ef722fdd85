// SPDX-License-Identifier: Apache-2.0
// The user's list of trusted projects, ~/.config/agentctl/trust.toml: 0600, ours, replaced as a whole. What is in a
// file that others may write, or that is somebody else's, is no trust of this user's: such a file is an error.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "policy/trust_list.h"

namespace agentctl::manager {

[[nodiscard]] Result<policy::TrustList> load_trust(const std::string& config_dir);  // absent: nobody is trusted

// Reads, changes and writes the list under a lock. Refused inside of a session: the agent must not say what is trusted.
[[nodiscard]] Result<void> change_trust(const std::string& config_dir,
                                        const std::function<Result<void>(policy::TrustList&)>& change);

}  // namespace agentctl::manager
