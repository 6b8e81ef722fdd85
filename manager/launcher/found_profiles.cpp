// SPDX-License-Identifier: Apache-2.0
#include "manager/launcher/found_profiles.h"

#include <algorithm>

#include "bwrap/path_resolution.h"
#include "manager/agent_search.h"
#include "policy/profiles.h"

namespace agentctl::launcher {
namespace {

constexpr const char* kShell = "shell";

}  // namespace

std::vector<std::string> find_profiles(const std::string& config_dir, bwrap::HostMounts& mounts) {
  bwrap::PathResolver resolver(&mounts);
  std::vector<std::string> found;
  for (const std::string& name : policy::profile_names(config_dir)) {
    const auto profile = policy::load_profile(name, config_dir);
    if (!profile || !profile->command) continue;
    if (!manager::find_agent(profile->command->value[0], resolver).empty()) found.push_back(name);
  }
  return found;
}

Result<std::vector<std::string>> order_profiles(std::vector<std::string> found, const std::string& last) {
  const auto rank = [&](const std::string& name) { return name == last ? 0 : name == kShell ? 2 : 1; };
  std::stable_sort(found.begin(), found.end(),
                   [&](const std::string& one, const std::string& other) { return rank(one) < rank(other); });
  if (found.empty() || (found.front() == kShell && last != kShell)) {
    return make_error(ErrorKind::environment, "no agent that agentctl knows is found",
                      "install one, or write a profile for yours: 'agentctl profile new NAME'");
  }
  return found;
}

}  // namespace agentctl::launcher
