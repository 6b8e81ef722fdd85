// SPDX-License-Identifier: Apache-2.0
// The sessions that seem to run, for what only offers their names: no record is proven, and nothing is swept or
// written. Fast, whatever their number; registry.h has the truth.
#pragma once

#include <vector>

#include "manager/record.h"

namespace agentctl::manager {

[[nodiscard]] std::vector<RecordHead> glance_at_sessions();  // by name

}  // namespace agentctl::manager
