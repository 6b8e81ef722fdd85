// SPDX-License-Identifier: Apache-2.0
// The projects that sessions ran in, of those that run and of the receipts that are kept. Pure but for what it is given
// to look with. A project whose name is no UTF-8 is known only while a session runs: receipts are JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "manager/kept_receipts.h"
#include "manager/registry.h"

namespace agentctl::launcher {

inline constexpr std::size_t kMostProjects = 20;

struct RecentProject {
  std::string path;     // absolute, canonical
  std::string profile;  // of the last session there
  std::uint64_t used_usec = 0;
  friend bool operator==(const RecentProject&, const RecentProject&) = default;
};

// The one used last first; only those that `is_there` still finds.
[[nodiscard]] std::vector<RecentProject> find_recent_projects(
    const std::vector<manager::KeptReceipt>& receipts, const std::vector<manager::KnownSession>& sessions,
    const std::function<bool(const std::string& path)>& is_there);

// "~/dev/x" for what lies below `home`; safe to be shown.
[[nodiscard]] std::string project_label(const std::string& path, const std::string& home);

}  // namespace agentctl::launcher
