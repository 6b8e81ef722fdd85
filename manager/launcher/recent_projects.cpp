// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/recent_projects.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace agentctl::launcher {

std::vector<RecentProject> find_recent_projects(const std::vector<manager::KeptReceipt>& receipts,
                                                const std::vector<manager::KnownSession>& sessions,
                                                const std::function<bool(const std::string& path)>& is_there) {
  std::vector<RecentProject> used;
  for (const manager::KnownSession& session : sessions)
    used.push_back({session.record.project, session.record.profile, session.record.started_usec});
  for (const manager::KeptReceipt& receipt : receipts) {
    used.push_back(
        {receipt.value["project"].text, receipt.value["profile"].text, receipt.value["started_usec"].number()});
  }
  std::stable_sort(used.begin(), used.end(), [](const RecentProject& one, const RecentProject& other) {
    return one.used_usec > other.used_usec;
  });
  std::vector<RecentProject> recent;
  std::set<std::string> seen;
  for (RecentProject& project : used) {
    if (recent.size() == kMostProjects) break;
    if (!project.path.starts_with('/') || !seen.insert(project.path).second || !is_there(project.path)) continue;
    recent.push_back(std::move(project));
  }
  return recent;
}

std::string project_label(const std::string& path, const std::string& home) {
  const bool is_below = home.size() > 1 && path.size() > home.size() && starts_with_path(path, home);
  return printable(is_below ? cat("~", path.substr(home.size())) : path);
}

}  // namespace agentctl::launcher
