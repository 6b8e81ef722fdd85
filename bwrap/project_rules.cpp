// SPDX-License-Identifier: Apache-2.0
#include "bwrap/project_rules.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kHide = "hide ";
constexpr std::string_view kProtect = "protect ";

bool keeps(std::string_view rule, std::string_view wanted) {
  const bool hides = rule.starts_with(kHide);
  if (wanted.starts_with(kHide) && !hides) return false;
  rule.remove_prefix(hides ? kHide.size() : kProtect.size());
  wanted.remove_prefix(wanted.starts_with(kHide) ? kHide.size() : kProtect.size());
  return starts_with_path(wanted, rule);
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
  std::vector<std::string> missing;
  for (const std::string& wanted : other) {
    const bool kept =
        std::any_of(rules.begin(), rules.end(), [&](const std::string& rule) { return keeps(rule, wanted); });
    if (!kept) missing.push_back(wanted);
  }
  return missing;
}

}  // namespace agentctl::bwrap
