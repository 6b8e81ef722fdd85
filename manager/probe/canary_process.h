// SPDX-License-Identifier: Apache-2.0
// A process outside, with a secret in its arguments, one in its environment and one in its memory; it says when it is
// signalled. It is the inside half's program in another role (inside/canary.h), and dies with the host half.
#pragma once

#include <string>

#include "base/result.h"
#include "manager/probe/canary.h"

namespace agentctl::probe {

[[nodiscard]] Result<std::unique_ptr<Canary>> start_canary_process(const std::string& program);

}  // namespace agentctl::probe
