// SPDX-License-Identifier: Apache-2.0
#include "bwrap/directory_listing.h"

#include <dirent.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostEntries = 2000;

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

}  // namespace

std::vector<PathFact> list_directory(const std::string& path, PathResolver& resolver) {
  const std::unique_ptr<DIR, CloseDirectory> directory(::opendir(path.c_str()));
  std::vector<PathFact> entries;
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const std::string place = join_path(path, entry->d_name);
    if (!resolver.is_idle_automount(place)) entries.push_back(resolver.resolve(place));
    if (entries.size() > kMostEntries) return {};
  }
  std::sort(entries.begin(), entries.end(), [](const auto& one, const auto& other) { return one.path < other.path; });
  return entries;
}

}  // namespace agentctl::bwrap
