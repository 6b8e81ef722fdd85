// SPDX-License-Identifier: Apache-2.0
#include "policy/autostart.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/text.h"
#include "policy/entry.h"

namespace agentctl::policy {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"project", "profile", "name"};

Error refuse(std::string_view key, std::string_view fault) {
  return make_error(ErrorKind::policy, cat("'", key, "' ", fault));
}

Result<void> check_project(std::string_view project) {
  if (auto sound = check_path_entry(project, Globs::refused); !sound) return refuse("project", sound.error().message);
  // There is no current directory at a login that it could count from.
  const std::string path = normal_path(project);
  if (path[0] != '/' && path[0] != '~') return refuse("project", "must be a full path, or begin with '~/'");
  return {};
}

}  // namespace

std::span<const std::string_view> autostart_keys() { return kKeys; }

Result<void> assign_autostart(Autostart& entry, std::string_view key, std::string_view text) {
  if (key == "project") {
    AGENTCTL_TRY_VOID(check_project(text));
    entry.project = text;
  } else {
    // The start knows which profiles there are, and what a name may look like.
    if (text.empty() || text.find('\0') != std::string_view::npos)
      return refuse(key, key == "profile" ? "must be the name of a profile" : "must be the name of a session");
    (key == "profile" ? entry.profile : entry.name) = text;
  }
  return {};
}

const Autostart* find_same(const std::vector<Autostart>& entries, const Autostart& entry) {
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const Autostart& other) {
    if (!entry.name.empty() || !other.name.empty()) return other.name == entry.name;
    return normal_path(other.project) == normal_path(entry.project) && other.profile == entry.profile;
  });
  return found == entries.end() ? nullptr : &*found;
}

void refuse_autostart(ReadOutcome& outcome) {
  for (const Autostart& entry : outcome.autostart) {
    outcome.mistakes.push_back(
        {entry.origin,
         "[[autostart]] must stand nowhere but in your own policy.toml: only you start sessions at your login",
         {}});
  }
}

}  // namespace agentctl::policy
