// SPDX-License-Identifier: Apache-2.0
#include "manager/places_in_use.h"

#include <limits.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "manager/project_policy.h"

namespace agentctl::manager {
namespace {

std::string absolute_variable(const char* name) {
  const char* value = ::getenv(name);
  return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
}

std::string home_directory() {
  std::string home = absolute_variable("HOME");
  if (!home.empty()) return home;
  const passwd* entry = ::getpwuid(::geteuid());
  return entry != nullptr && entry->pw_dir != nullptr ? entry->pw_dir : "";
}

std::vector<std::string> places(const std::string& project) {
  std::array<char, PATH_MAX> buffer{};
  const std::string current = ::getcwd(buffer.data(), buffer.size()) == nullptr ? "" : buffer.data();
  const std::string home = home_directory();
  const std::string directory = project.starts_with('/') ? project : cat(current, "/", project);
  std::vector<std::string> all = {current, absolute_variable("PWD"), home, absolute_variable("XDG_RUNTIME_DIR"),
                                  directory};
  std::string config = absolute_variable("XDG_CONFIG_HOME");
  std::string state = absolute_variable("XDG_STATE_HOME");
  config = cat(config.empty() ? home + "/.config" : config, "/agentctl");
  state = cat(state.empty() ? home + "/.local/state" : state, "/agentctl");
  for (const char* name : {"", "/policy.toml", "/trust.toml", "/profiles"}) all.push_back(config + name);
  for (const char* name : {"", "/receipts", "/homes", "/caches"}) all.push_back(state + name);
  all.push_back(cat(directory, "/", kProjectPolicyName));
  return all;
}

}  // namespace

Result<void> check_places_in_use(const std::string& project, bwrap::HostMounts& mounts) {
  if (!mounts.has_remote()) return {};
  bwrap::PathResolver resolver(&mounts);
  for (const std::string& place : places(project)) {
    if (!place.starts_with('/')) continue;
    const std::string obstacle = resolver.resolve(place).obstacle;
    if (obstacle.empty()) continue;
    return make_error(ErrorKind::environment, cat("cannot use '", printable(place), "': ", obstacle),
                      "bring it back, or unmount it (umount -l)");
  }
  return {};
}

}  // namespace agentctl::manager
