// SPDX-License-Identifier: Apache-2.0
#include "bwrap/other_names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/directory_entries.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

using Identity = std::pair<dev_t, ino_t>;

class Search {
 public:
  explicit Search(std::uint64_t deadline_usec) : deadline_usec_(deadline_usec) {}

  void add(const PathFact& fact) {
    struct stat status {};
    const std::string& path = fact.canonical.str();
    if (!fact.has_other_names || ::lstat(path.c_str(), &status) != 0) return;
    if (!S_ISREG(status.st_mode) || status.st_nlink < 2) return;
    names_[{status.st_dev, status.st_ino}].emplace(path);
    inodes_.insert(status.st_ino);
    counts_[path] = status.st_nlink;
  }

  void walk(const std::string& project) {
    if (names_.empty()) return;
    const auto root = hold_directory(HostPath(project));
    if (!root) return;
    std::vector<std::string> pending = {""};
    while (!pending.empty()) {
      const std::string below = std::move(pending.back());
      pending.pop_back();
      const auto see = [&](int directory, const DirectoryEntry& entry) -> Result<void> {
        if (monotonic_usec() > deadline_usec_) return errno_error(ETIMEDOUT, "the names of a file");
        std::string path = below.empty() ? std::string(entry.name) : cat(below, "/", entry.name);
        if (entry.is_directory) {
          pending.push_back(std::move(path));
        } else if (inodes_.contains(entry.inode)) {
          note(directory, std::string(entry.name), join_path(project, path));
        }
        return {};
      };
      // A directory that cannot be read shows its names to the session no more than to us.
      const auto read = read_directory_beneath(root->get(), below, see);
      if (!read && read.error().sys_errno == ETIMEDOUT) return;
    }
  }

  std::map<std::string, OtherNames> take(PathResolver& resolver) {
    std::map<std::string, OtherNames> all;
    for (const auto& [unused, names] : names_) {
      for (const std::string& path : names) {
        const auto count = counts_.find(path);
        if (count == counts_.end()) continue;  // only found, not hidden by itself
        OtherNames& others = all[path];
        others.count = count->second;
        for (const std::string& name : names) {
          if (name != path) others.found.push_back(resolver.resolve(name));
        }
      }
    }
    return all;
  }

 private:
  void note(int directory, const std::string& name, std::string path) {
    struct stat status {};
    if (::fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    const auto known = names_.find({status.st_dev, status.st_ino});
    if (known != names_.end()) known->second.insert(std::move(path));
  }

  const std::uint64_t deadline_usec_;
  std::map<Identity, std::set<std::string>> names_;
  std::set<ino_t> inodes_;
  std::map<std::string, nlink_t> counts_;  // of the hidden ones
};

}  // namespace

std::map<std::string, OtherNames> find_other_names(const std::vector<const PathFact*>& hidden, const HostPath& project,
                                                   std::uint64_t deadline_usec, PathResolver& resolver) {
  Search search(deadline_usec);
  for (const PathFact* fact : hidden) search.add(*fact);
  search.walk(project.str());
  return search.take(resolver);
}

}  // namespace agentctl::bwrap
