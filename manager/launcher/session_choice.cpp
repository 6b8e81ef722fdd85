// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/session_choice.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/host_facts.h"
#include "manager/launcher/found_profiles.h"
#include "manager/launcher/recent_projects.h"
#include "manager/state_dirs.h"
#include "policy/profiles.h"

namespace agentctl::launcher {
namespace {

using manager::LaunchOptions;

std::string home_directory() {
  const char* home = ::getenv("HOME");
  return home == nullptr ? std::string() : std::string(home);
}

// 0, or why it is no directory to work in.
int refusal_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return errno;
  return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

Result<std::vector<RecentProject>> read_recent_projects(bwrap::HostMounts& mounts) {
  const std::string state = AGENTCTL_TRY(manager::state_dir_path());
  const auto is_there = [&](const std::string& path) { return !mounts.find_silent(path) && refusal_of(path) == 0; };
  return find_recent_projects(AGENTCTL_TRY(manager::read_receipts(state + "/receipts")),
                              manager::list_sessions().sessions, is_there);
}

Result<std::optional<std::string>> choose_project(const LaunchOptions& options, const Front& front,
                                                  const std::vector<RecentProject>& recent) {
  if (!options.directory.empty()) return std::optional(options.directory);
  Choice choice;
  if (recent.empty() || options.browse) {
    choice = AGENTCTL_TRY(front.ask_directory("Project"));
  } else {
    Question question{"Project, the last used first", {}, true};
    const std::string home = home_directory();
    for (const RecentProject& project : recent)
      question.labels.push_back(cat(project_label(project.path, home), "  (", printable(project.profile), ")"));
    choice = AGENTCTL_TRY(front.ask(question));
  }
  if (choice.kind == Choice::Kind::nothing) return std::optional<std::string>();
  if (choice.kind == Choice::Kind::item) return std::optional(recent[choice.item].path);
  return std::optional(AGENTCTL_TRY(find_directory(choice.directory)));
}

Result<std::optional<std::string>> choose_profile(const LaunchOptions& options, const Front& front,
                                                  const std::string& last, bwrap::HostMounts& mounts) {
  const std::string config_dir = AGENTCTL_TRY(manager::config_dir_path());
  if (!options.profile.empty()) {
    AGENTCTL_TRY(policy::load_profile(options.profile, config_dir));  // a mistake in it is told now
    return std::optional(options.profile);
  }
  const std::vector<std::string> profiles = AGENTCTL_TRY(order_profiles(find_profiles(config_dir, mounts), last));
  if (profiles.size() == 1) return std::optional(profiles.front());
  const Choice choice = AGENTCTL_TRY(front.ask({"Agent", profiles, false}));
  return choice.kind == Choice::Kind::item ? std::optional(profiles[choice.item]) : std::optional<std::string>();
}

}  // namespace

Result<std::optional<SessionChoice>> choose_session(const LaunchOptions& options, const Front& front) {
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  const std::vector<RecentProject> recent = AGENTCTL_TRY(read_recent_projects(mounts));
  const auto project = AGENTCTL_TRY(choose_project(options, front, recent));
  if (!project) return std::optional<SessionChoice>();
  const std::string canonical = manager::existing_name(*project);
  const auto known =
      std::find_if(recent.begin(), recent.end(), [&](const RecentProject& used) { return used.path == canonical; });
  const auto profile =
      AGENTCTL_TRY(choose_profile(options, front, known == recent.end() ? "" : known->profile, mounts));
  if (!profile) return std::optional<SessionChoice>();
  return std::optional(SessionChoice{*project, *profile});
}

Result<std::string> find_directory(const std::string& named) {
  const std::string path = bwrap::expand_path(named, home_directory(), AGENTCTL_TRY(current_directory()));
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  if (const auto silent = mounts.find_silent(path))
    return make_error(ErrorKind::environment, cat("cannot use '", printable(path), "': ", describe(*silent)));
  if (const int why = refusal_of(path)) {
    Error error = errno_error(why, cat("cannot use '", printable(path), "' as the project"));
    error.kind = ErrorKind::usage;
    return error;
  }
  return path;
}

}  // namespace agentctl::launcher
