// SPDX-License-Identifier: Apache-2.0
#include "manager/service/autostart_entry.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/host_facts.h"
#include "policy/entry.h"

namespace agentctl::manager::service {

Result<AutostartCommand> autostart_command(const policy::Autostart& entry, const std::string& home) {
  if (policy::normal_path(entry.project).starts_with('~') && !home.starts_with('/')) {
    return make_error(ErrorKind::environment, "cannot find your home directory", "set HOME");
  }
  AutostartCommand command;
  command.entry = entry.project;
  command.project = bwrap::expand_path(entry.project, home, "/");
  // Values behind the sign, so that none can pass for an option.
  command.words = {"start", "--detach", "--quiet", cat("--project=", command.project)};
  if (!entry.profile.empty()) command.words.push_back(cat("--profile=", entry.profile));
  if (!entry.name.empty()) command.words.push_back(cat("--name=", entry.name));
  return command;
}

bool is_running(const policy::Autostart& entry, const AutostartCommand& command, const std::vector<Record>& sessions) {
  return std::any_of(sessions.begin(), sessions.end(), [&](const Record& session) {
    return session.parent_kind == "manager" &&
           (session.project == command.project || session.directory == command.project) &&
           (entry.profile.empty() || session.profile == entry.profile) &&
           (entry.name.empty() || session.name == entry.name);
  });
}

}  // namespace agentctl::manager::service
