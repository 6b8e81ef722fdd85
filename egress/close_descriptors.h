// SPDX-License-Identifier: Apache-2.0
// For a forked process of ours that goes on without exec: what it does not need, somebody else may wait to see closed.
#pragma once

#include <vector>

namespace agentctl::egress {

// Every descriptor, the standard streams too, but those. False: the kernel refuses (close_range(2), Linux 5.9).
[[nodiscard]] bool close_all_but(std::vector<int> kept);

}  // namespace agentctl::egress
