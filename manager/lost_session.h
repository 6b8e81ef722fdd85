// SPDX-License-Identifier: Apache-2.0
// The receipt of a session whose supervisor was killed: whoever finds its record writes down what is known. When the
// session ended and with which status nobody saw; what its agent left in the project can still be looked for.
#pragma once

#include "manager/record.h"
#include "units/cgroup.h"

namespace agentctl::manager {

// `usage`: of its cgroup, where that is still there. Keeps nothing for a session whose agent never ran, nor over a
// receipt that the supervisor wrote before it died. What cannot be written is lost with the record.
void keep_lost_receipt(const Record& record, const units::CgroupUsage& usage);

}  // namespace agentctl::manager
