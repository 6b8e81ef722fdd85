// SPDX-License-Identifier: Apache-2.0
// bwrap itself: from a fixed list of directories, never from $PATH, and only when nobody but root could have changed it
// and it is not set-uid (a set-uid bwrap makes no user namespace and keeps privileges that our rules do not expect).
// What it can do is read out of its bytes: running `bwrap --version` at each start would cost milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"

namespace agentctl::bwrap {

[[nodiscard]] const std::vector<std::string>& bwrap_directories();
// The first `bwrap` in `directories`. Errors are of kind environment; an unsafe one is refused, not passed over.
[[nodiscard]] Result<BwrapFact> find_bwrap(const std::vector<std::string>& directories);
// Version "" when the bytes do not tell.
[[nodiscard]] BwrapFact describe_bwrap(std::string_view bytes);

}  // namespace agentctl::bwrap
