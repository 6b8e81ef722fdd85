// SPDX-License-Identifier: Apache-2.0
#include "bwrap/near_name.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/path_resolution.h"
#include "bwrap/rule_entry.h"
#include "policy/nearest_name.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostNames = 2000;

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

std::string near_name(const std::string& absolute_path) {
  std::string missing = absolute_path;
  while (missing != "/" && !exists(parent_path(missing))) missing = parent_path(missing);
  const std::string directory = parent_path(missing);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(directory.c_str()),
                                                   [](DIR* open) { return open == nullptr ? 0 : ::closedir(open); });
  std::vector<std::string> names;
  while (const dirent* entry = stream && names.size() < kMostNames ? ::readdir(stream.get()) : nullptr) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") names.emplace_back(name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = policy::nearest_name(missing.substr(missing.rfind('/') + 1), known);
  return nearest.empty() ? std::string() : join_path(directory, std::string(nearest));
}

std::map<std::string, std::string> find_near_names(const policy::FileSettings& files, const HostFacts& facts) {
  std::map<std::string, std::string> near;
  const auto look = [&](const policy::Entry& entry) {
    if (policy::is_built_in(entry.origin)) return;
    const std::string path = expand_entry(entry, facts);
    const auto fact = facts.paths.find(path);
    const bool is_missing = fact != facts.paths.end() && fact->second.kind == PathKind::absent;
    if (!is_missing || !fact->second.obstacle.empty() || !fact->second.links.empty()) return;
    if (std::string name = near_name(path); !name.empty()) near.emplace(path, std::move(name));
  };
  for (const policy::Entries* list : {&files.hide, &files.protect}) {
    for (const policy::Entry& entry : *list) {
      if (entry.told_if_missing) look(entry);
    }
  }
  for (const policy::Entries* list : {&files.read_only, &files.read_write, &files.copy}) {
    for (const policy::Entry& entry : *list) look(entry);
  }
  return near;
}

std::string did_you_mean(const policy::Entry& entry, const HostFacts& facts) {
  const auto near = facts.near_names.find(expand_entry(entry, facts));
  return near == facts.near_names.end() ? std::string() : cat("; did you mean '", printable(near->second), "'?");
}

void warn_of_missing_entries(const policy::FileSettings& files, const HostFacts& facts,
                             std::vector<std::string>& warnings) {
  const auto is_optional = [&](const std::string& path) {
    return std::any_of(files.optional.begin(), files.optional.end(),
                       [&](const policy::Entry& entry) { return expand_entry(entry, facts) == path; });
  };
  const auto look = [&](const policy::Entry& entry, const auto& globs, std::string_view does) {
    if (!entry.told_if_missing) return;
    const auto tell = [&](std::string_view why) {
      warnings.push_back(cat("files: '", printable(entry.text), "' ", does, ": ", why));
    };
    if (has_glob(entry.text)) {
      const auto found = globs.find(entry.text);
      if (found != globs.end() && found->second.matches.empty()) tell("it matches nothing");
      return;
    }
    const std::string path = expand_entry(entry, facts);
    const auto fact = facts.paths.find(path);
    if (fact == facts.paths.end() || fact->second.kind != PathKind::absent || is_optional(path)) return;
    const std::vector<Link>& links = fact->second.links;
    tell(links.empty() ? cat("it is not there", did_you_mean(entry, facts))
                       : cat("the link '", printable(links.back().path.str()), "' leads to nothing"));
  };
  for (const policy::Entry& entry : files.hide) look(entry, facts.globs, "hides nothing yet");
  for (const policy::Entry& entry : files.protect) look(entry, facts.protected_globs, "protects nothing");
}

}  // namespace agentctl::bwrap
