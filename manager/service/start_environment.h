// SPDX-License-Identifier: Apache-2.0
// The variables with which a session that is asked for over the bus is started: those of the service manager as they
// are now, not as they were when the service came up: a desktop tells the manager of its display, its agents and its
// PATH some time into the login (systemctl(1), import-environment). Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace agentctl::manager::service {

// `managers`: none where no service manager answers; then those of this process, `own`, less what systemd has put there
// for this service alone (systemd.exec(5)). Where our records lie and which bus we are on is as for this process.
[[nodiscard]] std::vector<std::string> start_environment(const std::optional<std::vector<std::string>>& managers,
                                                         const std::vector<std::string>& own);

}  // namespace agentctl::manager::service
