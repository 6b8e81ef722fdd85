// SPDX-License-Identifier: Apache-2.0
// The sessions that have ended, as `status --all --json` shows them after those that run: their receipts. Pure.
#pragma once

#include <string>
#include <vector>

#include "manager/kept_receipts.h"

namespace agentctl::manager {

// Each receipt's own object with "state":"ended" in front, the one that ended last first.
[[nodiscard]] std::vector<std::string> ended_objects(std::vector<KeptReceipt> receipts);

}  // namespace agentctl::manager
