// SPDX-License-Identifier: Apache-2.0
// `agentctl probe`.
#pragma once

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::probe {

// Gives the exit status: 0 only where nothing has failed and everything that could be tried is known.
[[nodiscard]] Result<int> run_probe(const manager::ProbeOptions& options);

}  // namespace agentctl::probe
