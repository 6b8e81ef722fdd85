// SPDX-License-Identifier: Apache-2.0
// Limits and usage as `status --json` and receipts show them: keys as in the policy, bytes and microseconds. Pure.
#pragma once

#include <string>

#include "manager/record.h"
#include "units/cgroup.h"

namespace agentctl::manager {

[[nodiscard]] std::string asked_limits_json(const Record& record);
[[nodiscard]] std::string effective_limits_json(const Record& record, const units::EffectiveLimits& effective);
[[nodiscard]] std::string usage_json(const units::CgroupUsage& usage);

}  // namespace agentctl::manager
