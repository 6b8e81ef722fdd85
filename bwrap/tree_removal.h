// SPDX-License-Identifier: Apache-2.0
// Removes a directory of ours with all that is in it, which a session may have put there: no link is followed, no
// other file system entered. Sources: openat2(2), unlinkat(2).
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace agentctl::bwrap {

// `name` in the open directory `parent`. False when the deadline (of monotonic_usec()) came first: the rest stays for
// another time. An Error where something could not be removed: a mount point, a directory nobody may open, one of more
// than 128 levels.
[[nodiscard]] Result<bool> remove_tree(int parent, const std::string& name, std::uint64_t deadline_usec);

}  // namespace agentctl::bwrap
