// SPDX-License-Identifier: Apache-2.0
// Where the stage program (bwrap/stage) stands: beside this executable in a build tree, in libexec once installed.
#pragma once

#include "base/result.h"
#include "bwrap/paths.h"

namespace agentctl::manager {

[[nodiscard]] Result<bwrap::HostPath> find_stage_program();
// The same for the inside half of `probe`.
[[nodiscard]] Result<bwrap::HostPath> find_probe_program();

}  // namespace agentctl::manager
