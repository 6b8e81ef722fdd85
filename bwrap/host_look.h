// SPDX-License-Identifier: Apache-2.0
// The host as a session of the caller's would meet it: with the caller's ids and no privileges.
#pragma once

#include <string>

#include "base/result.h"
#include "bwrap/path_answer.h"

namespace agentctl::bwrap {

[[nodiscard]] HostEntry look_at_host(const std::string& path);

// root's answers would be those of a process that no permission holds back, which is not what root's session is: gives
// up, for this process and for good, the capabilities that override them (capabilities(7)).
[[nodiscard]] Result<void> give_up_overriding_permissions();

}  // namespace agentctl::bwrap
