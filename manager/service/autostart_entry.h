// SPDX-License-Identifier: Apache-2.0
// One [[autostart]] entry as the command that starts it, and whether a session that runs is already what it asks for.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "manager/record.h"
#include "policy/policy_reader.h"

namespace agentctl::manager::service {

struct AutostartCommand {
  std::string entry;               // the project as the user wrote it
  std::string project;             // absolute
  std::vector<std::string> words;  // of agentctl
};

// An Error where the project is named by a home that is not known (`home` is empty).
[[nodiscard]] Result<AutostartCommand> autostart_command(const policy::Autostart& entry, const std::string& home);

// A detached one of that project, profile and name, as far as the entry names them. The project is compared by its
// names alone: a look at the disk may take for ever.
[[nodiscard]] bool is_running(const policy::Autostart& entry, const AutostartCommand& command,
                              const std::vector<Record>& sessions);

}  // namespace agentctl::manager::service
