// SPDX-License-Identifier: Apache-2.0
// Whether [[autostart]] has been acted upon in the life of one user manager: a file in the runtime directory that names
// that manager, so that neither a restart of the service nor its crash, nor an upgrade, starts everything again, and
// the next manager does. For one service at a time.
#pragma once

#include "base/process.h"
#include "base/result.h"

namespace agentctl::manager::service {

// True for the first who asks in the life of `manager`; from then on false.
[[nodiscard]] Result<bool> claim_autostart(const ProcessIdentity& manager);

}  // namespace agentctl::manager::service
