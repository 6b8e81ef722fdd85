// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "units/cgroup.h"

namespace agentctl::units {
namespace {

struct Line {
  std::string_view hierarchy;
  std::string_view controllers;
  std::string_view path;
};

// "4:memory:/path"; the path may itself hold colons, and there may be several controllers.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    visit(Line{line.substr(0, first), line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
}

bool lists(std::string_view controllers, std::string_view wanted) {
  const std::vector<std::string> names = split(controllers, ',');
  return std::find(names.begin(), names.end(), wanted) != names.end();
}

bool is_same_directory(const std::string& path, const UniqueFd& dir) {
  struct stat by_path {};
  struct stat by_fd {};
  return dir.valid() && ::stat(path.c_str(), &by_path) == 0 && ::fstat(dir.get(), &by_fd) == 0 &&
         by_path.st_dev == by_fd.st_dev && by_path.st_ino == by_fd.st_ino;
}

}  // namespace

std::string find_controller_path(std::string_view proc_cgroup_text, std::string_view controller) {
  std::string found;
  each_line(proc_cgroup_text, [&](const Line& line) {
    if (lists(line.controllers, controller)) found = line.path;
  });
  return found;
}

Membership parse_membership(std::string_view proc_cgroup_text) {
  Membership membership;
  each_line(proc_cgroup_text, [&](const Line& line) {
    if (line.hierarchy == "0" && line.controllers.empty()) membership.unified = line.path;
  });
  membership.memory = find_controller_path(proc_cgroup_text, "memory");
  membership.cpu = find_controller_path(proc_cgroup_text, "cpu");
  membership.pids = find_controller_path(proc_cgroup_text, "pids");
  membership.systemd = find_controller_path(proc_cgroup_text, "name=systemd");
  return membership;
}

Result<Membership> read_membership(pid_t pid, const std::string& proc) {
  return parse_membership(AGENTCTL_TRY(read_file(cat(proc, "/", pid, "/cgroup"))));
}

Result<void> prove_membership(pid_t pid, const Cgroup& cgroup, bool with_cpu) {
  const Membership membership = AGENTCTL_TRY(with_context(cat("cannot prove that process ", pid, " is in its scope"),
                                                          read_membership(pid, cgroup.roots_.proc)));
  const auto prove = [&](std::string_view hierarchy, const std::string& path, const UniqueFd& dir) -> Result<void> {
    const bool proven = !path.empty() && path.find("/..") == std::string::npos &&
                        is_same_directory(cat(cgroup.roots_.cgroups, hierarchy, path), dir);
    if (proven) return {};
    return make_error(ErrorKind::environment,
                      cat("process ", pid, " is not in its scope '", cgroup.path_,
                          "': ", hierarchy.empty() ? "" : "in ", hierarchy.empty() ? "" : hierarchy.substr(1),
                          hierarchy.empty() ? "it is in '" : " it is in '", printable(path), "'"),
                      "another program, such as a desktop shell, may have moved it");
  };
  if (cgroup.version_ == 2) return prove("", membership.unified, cgroup.unified_);
  if (cgroup.unified_.valid()) AGENTCTL_TRY_VOID(prove("/unified", membership.unified, cgroup.unified_));
  if (cgroup.systemd_.valid()) AGENTCTL_TRY_VOID(prove("/systemd", membership.systemd, cgroup.systemd_));
  AGENTCTL_TRY_VOID(prove("/memory", membership.memory, cgroup.memory_));
  AGENTCTL_TRY_VOID(prove("/pids", membership.pids, cgroup.pids_));
  if (with_cpu) AGENTCTL_TRY_VOID(prove("/cpu", membership.cpu, cgroup.cpu_));
  return {};
}

}  // namespace agentctl::units
