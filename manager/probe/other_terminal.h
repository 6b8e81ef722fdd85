// SPDX-License-Identifier: Apache-2.0
// A second terminal of the user's, at which the launcher does not sit. A byte written to it is seen at its master.
#pragma once

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

[[nodiscard]] Result<std::unique_ptr<Canary>> open_other_terminal();

}  // namespace agentctl::probe
