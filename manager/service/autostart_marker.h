// SPDX-License-Identifier: Apache-2.0
// Whether [[autostart]] has been acted upon in the life of one user manager: a file in the runtime directory that names
// that manager, so that neither a restart of the service nor its crash, nor an upgrade, starts everything again, and
// the next manager does. For one service at a time.
#pragma once

#include "base/process.h"
#include "base/result.h"

namespace agentctl::manager::service {

[[nodiscard]] Result<bool> is_autostart_done(const ProcessIdentity& manager);
// Once nothing of it is under way any more: a service that is killed before begins anew, and finds what runs.
[[nodiscard]] Result<void> note_autostart_done(const ProcessIdentity& manager);

}  // namespace agentctl::manager::service
