// SPDX-License-Identifier: Apache-2.0
// Sessions of one project write the same files: one that sees what another may not see can hand it over, so a session
// that hides or protects less there than one that runs is refused. In all else they may differ. Pure.
#pragma once

#include <vector>

#include "base/result.h"
#include "manager/registry.h"

namespace agentctl::manager {

// To be asked while names are locked, so that of two starts one sees the other.
[[nodiscard]] Result<void> check_shared_project(const Record& starting, const std::vector<KnownSession>& running);

}  // namespace agentctl::manager
