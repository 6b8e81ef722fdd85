// SPDX-License-Identifier: Apache-2.0
#include "bwrap/project_rules.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kHide = "hide ";
constexpr std::string_view kProtect = "protect ";

bool hides(std::string_view rule) { return rule.starts_with(kHide); }

std::string_view path_of(std::string_view rule) {
  return rule.substr(std::min(rule.size(), hides(rule) ? kHide.size() : kProtect.size()));
}

// Whether `path` or a directory above it is among them.
bool covers(const std::unordered_set<std::string_view>& places, std::string_view path) {
  while (!places.contains(path)) {
    if (path == "/") return false;
    path = parent_of(path);
  }
  return true;
}

}  // namespace

std::vector<std::string> project_rules(const policy::FileSettings& files, const HostFacts& facts) {
  const std::string& project = facts.project.canonical.str();
  const std::string& logical = facts.project.logical.str();
  std::vector<std::string> rules;
  const auto add = [&](std::string_view kind, const policy::Entries& entries) {
    for (const policy::Entry& entry : entries) {
      std::string path = expand_path(entry.text, facts.home.path.str(), project);
      if (!starts_with_path(path, project) && starts_with_path(path, logical)) {
        path = cat(project, path.substr(logical.size()));
      }
      if (starts_with_path(path, project)) rules.push_back(cat(kind, path));
    }
  };
  add(kHide, files.hide);
  add(kProtect, files.protect);
  return rules;
}

std::vector<std::string> find_missing_rules(const std::vector<std::string>& rules,
                                            const std::vector<std::string>& other) {
  std::unordered_set<std::string_view> hidden;
  std::unordered_set<std::string_view> taken;  // hidden or protected
  for (const std::string& rule : rules) {
    if (hides(rule)) hidden.insert(path_of(rule));
    taken.insert(path_of(rule));
  }
  std::vector<std::string> missing;
  for (const std::string& wanted : other) {
    if (!covers(hides(wanted) ? hidden : taken, path_of(wanted))) missing.push_back(wanted);
  }
  return missing;
}

}  // namespace agentctl::bwrap
