// SPDX-License-Identifier: Apache-2.0
#include "manager/stale_caches.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "bwrap/directory_entries.h"
#include "bwrap/own_directories.h"
#include "bwrap/tree_removal.h"

namespace agentctl::manager {
namespace {

std::uint64_t usec_of(const timespec& moment) {
  return moment.tv_sec < 0 ? 0 : static_cast<std::uint64_t>(moment.tv_sec) * 1'000'000U;
}

// Its time of change is that of its last use: see bwrap::prepare().
bool is_old(const struct stat& status, std::uint64_t now_usec) {
  const std::uint64_t used = usec_of(status.st_mtim);
  return S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() && used < now_usec && now_usec - used > kCacheKeptUsec;
}

bool is_gone(const std::string& project) {
  struct stat status {};
  return ::lstat(project.c_str(), &status) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

// What a removal that was broken off has changed would make the rest look used.
void put_back_time(int directory, const std::string& name, const struct stat& before) {
  const timespec times[] = {before.st_atim, before.st_mtim};
  (void)::utimensat(directory, name.c_str(), times, AT_SYMLINK_NOFOLLOW);
}

}  // namespace

void remove_stale_caches(const StaleCacheRequest& request) {
  const UniqueFd caches(::open(request.directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!caches.valid()) return;
  std::vector<std::string> names;
  const auto see = [&](int, const bwrap::DirectoryEntry& entry) -> Result<void> {
    names.emplace_back(entry.name);
    return {};
  };
  if (!bwrap::read_directory_beneath(caches.get(), "", see)) return;
  const std::uint64_t deadline = monotonic_usec() + request.longest_usec;
  for (const std::string& name : names) {
    const auto project = bwrap::path_of_name(name);
    struct stat status {};
    if (!project || ::fstatat(caches.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (!is_old(status, request.now_usec) || !request.may_look(*project) || !is_gone(*project)) continue;
    const auto removed = bwrap::remove_tree(caches.get(), name, deadline);
    if (removed && *removed) continue;
    put_back_time(caches.get(), name, status);
    if (removed) return;
  }
}

}  // namespace agentctl::manager
