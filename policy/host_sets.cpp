// SPDX-License-Identifier: Apache-2.0
#include "policy/host_sets.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "base/text.h"
#include "policy/entry.h"

namespace agentctl::policy {
namespace {

constexpr std::string_view kGit[] = {"github.com",
                                     "github.com:22",
                                     "api.github.com",
                                     "codeload.github.com",
                                     "objects.githubusercontent.com",
                                     "raw.githubusercontent.com",
                                     "release-assets.githubusercontent.com",
                                     "gitlab.com",
                                     "gitlab.com:22",
                                     "bitbucket.org",
                                     "bitbucket.org:22",
                                     "codeberg.org",
                                     "codeberg.org:22"};

constexpr std::string_view kPackages[] = {
    "registry.npmjs.org", "registry.yarnpkg.com",  "pypi.org",         "files.pythonhosted.org", "crates.io",
    "index.crates.io",    "static.crates.io",      "proxy.golang.org", "sum.golang.org",         "rubygems.org",
    "index.rubygems.org", "repo.maven.apache.org", "repo1.maven.org",  "plugins.gradle.org",     "services.gradle.org",
    "repo.packagist.org", "api.nuget.org",         "repo.hex.pm"};

struct Set {
  std::string_view name;
  std::span<const std::string_view> hosts;
};
constexpr Set kSets[] = {{"@git", kGit}, {"@packages", kPackages}};

const Set* find_set(std::string_view entry) {
  const std::string_view name = without_mark(entry);
  const auto* found =
      std::find_if(std::begin(kSets), std::end(kSets), [&](const Set& set) { return set.name == name; });
  return found == std::end(kSets) ? nullptr : found;
}

}  // namespace

bool is_host_set(std::string_view entry) { return without_mark(entry).starts_with('@'); }
bool is_known_host_set(std::string_view entry) { return find_set(entry) != nullptr; }

bool is_in_host_set(std::string_view host) {
  return std::any_of(std::begin(kSets), std::end(kSets), [&](const Set& set) {
    return std::find(set.hosts.begin(), set.hosts.end(), host) != set.hosts.end();
  });
}

std::string known_host_sets() {
  std::vector<std::string> names;
  for (const Set& set : kSets) names.emplace_back(set.name);
  return join(names, " and ");
}

std::vector<std::string> opened_host_set(std::string_view entry) {
  const Set* set = find_set(entry);
  if (set == nullptr) return {std::string(entry)};
  std::vector<std::string> entries;
  for (const std::string_view host : set->hosts) entries.push_back(cat(is_removal(entry) ? "!" : "", host));
  return entries;
}

}  // namespace agentctl::policy
