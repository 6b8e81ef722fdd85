// SPDX-License-Identifier: Apache-2.0
#include "bwrap/ignore_list.h"

#include <utility>

#include "base/text.h"
#include "bwrap/git_config.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kSystemConfig = "/etc/gitconfig";
constexpr const char* kDefaultList = ".config/git/ignore";
constexpr std::size_t kMostListBytes = 1U << 20;

std::optional<std::string> named_by_system(PathResolver& resolver) {
  const PathFact config = resolver.resolve(kSystemConfig);
  if (config.kind != PathKind::file) return std::nullopt;
  const auto text = read_regular_file(config.canonical, kMostConfigBytes);
  const auto settings = text ? parse_git_config(*text) : Result<std::vector<GitSetting>>(text.error());
  return settings ? find_setting(*settings, "core.excludesfile") : std::nullopt;
}

}  // namespace

IgnoreListFact read_ignore_list(const std::optional<std::string>& named, const std::string& home,
                                PathResolver& resolver) {
  IgnoreListFact list;
  std::optional<std::string> path = named ? named : named_by_system(resolver);
  if (!path) path = join_path(home, kDefaultList);
  if (path->empty()) return list;
  if (path->starts_with("~/")) path = join_path(home, path->substr(2));
  if (!path->starts_with('/')) {
    list.fault = cat("core.excludesFile is '", printable(*path), "', which is no full path");
    return list;
  }
  list.fact = resolver.resolve(*path);
  if (list.fact.kind != PathKind::file) return list;
  auto text = read_regular_file(list.fact.canonical, kMostListBytes);
  if (text) {
    list.text = std::move(*text);
  } else {
    list.fault = text.error().message;
  }
  return list;
}

}  // namespace agentctl::bwrap
