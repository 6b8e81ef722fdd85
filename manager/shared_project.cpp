// SPDX-License-Identifier: Apache-2.0
#include "manager/shared_project.h"

#include "base/text.h"
#include "bwrap/project_rules.h"

namespace agentctl::manager {

Result<void> check_shared_project(const Record& starting, const std::vector<KnownSession>& running) {
  for (const KnownSession& session : running) {
    if (session.record.project != starting.project) continue;
    const std::vector<std::string> missing =
        bwrap::find_missing_rules(starting.project_rules, session.record.project_rules);
    if (missing.empty()) continue;
    return make_error(ErrorKind::policy,
                      cat("session '", printable(session.record.name),
                          "' runs in this project and takes away more: ", printable(join(missing, ", "))),
                      cat("give this session the same rules, or end the other first: agentctl stop ",
                          shell_quote(session.record.name)));
  }
  return {};
}

}  // namespace agentctl::manager
