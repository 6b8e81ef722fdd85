// SPDX-License-Identifier: Apache-2.0
// `status --watch`: a live picture on a terminal, or a line of JSON, each second until it is ended. Reads records and
// cgroup files, and asks nobody.
#pragma once

#include "base/result.h"
#include "manager/cli.h"

namespace agentctl::manager {

[[nodiscard]] Result<int> watch_status(const StatusOptions& options);

}  // namespace agentctl::manager
