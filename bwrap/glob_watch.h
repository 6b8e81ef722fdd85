// SPDX-License-Identifier: Apache-2.0
// GlobWatch: the globs of [files] hide after the start. Each directory in which a name can come to match is watched
// from before it is read, so that nothing is missed between the two; new ones join. A name does not tell who made it:
// what the agent makes matches as well. No more than what the walk sees (glob_walk.h), and not where is_unwatched()
// says: that is read at the start only. A user has 8192 watches at the least. Source: inotify(7).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/directory_watch.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/glob_walk.h"
#include "bwrap/host_trees.h"

namespace agentctl::bwrap {

// Directories that may be watched at the start, and later, when the agent makes more. A watched one costs the kernel a
// kilobyte.
inline constexpr std::size_t kMostWatchedAtStart = 16'384;
inline constexpr std::size_t kMostWatched = 2 * kMostWatchedAtStart;

// Whether a directory, by its path, lies in one that tools fill by the thousand: node_modules, .git/objects. `base` is
// what the user named.
[[nodiscard]] bool is_unwatched(const std::string& path, const std::string& base);

struct NewMatch {
  std::string path;  // on the host and inside
  std::string rule;  // "policy.toml:3:9: '**/.env'"

  friend bool operator==(const NewMatch&, const NewMatch&) = default;
};

class GlobWatch {
 public:
  // As walk_for_globs, and goes on to watch what was walked. An Error of kind policy when that is too much. `base` need
  // not exist yet.
  [[nodiscard]] Result<WalkResult> start(std::shared_ptr<const GlobSet> globs, const std::string& base,
                                         std::uint64_t deadline_usec);

  [[nodiscard]] bool empty() const { return groups_.empty(); }
  // From now on only what is seen inside matters, but for what is shown by its name.
  void narrow(HostTrees trees, std::vector<ShownByName> shown_by_name = {});
  // Those in which the directory that a glob begins in, or one above it, can appear: to be watched by name.
  [[nodiscard]] std::set<std::string> directories_above() const;
  // Whether something new at `path` may be such a directory.
  [[nodiscard]] bool concerns(const std::string& path) const;
  // What it watches with, made when it is first needed; for whoever holds this watch to read, and to watch more with.
  [[nodiscard]] Result<DirectoryWatch*> directories();

  // What matches and is new, or everything that matches where events were dropped. `hold_still` is called before that
  // takes long, perhaps twice.
  [[nodiscard]] Result<std::vector<NewMatch>> find(const Appeared& appeared, const std::function<void()>& hold_still);

 private:
  struct Group {
    std::shared_ptr<const GlobSet> globs;
    std::string base;
    UniqueFd root;           // invalid: it is not there
    bool is_movable = true;  // the directory above it is seen inside, so that what comes in its place is seen, too
  };
  class Search;

  [[nodiscard]] Result<bool> visit(const Group& group, const std::string& path, const UniqueFd& directory,
                                   std::size_t most);
  [[nodiscard]] Result<void> watch(const Group& group, const std::string& path, const UniqueFd& directory,
                                   std::size_t most);

  std::unique_ptr<DirectoryWatch> directories_;
  std::unordered_map<int, std::string> paths_;  // by watch
  std::vector<Group> groups_;
  std::optional<HostTrees> trees_;  // none: before the plan is made
  std::vector<ShownByName> shown_by_name_;
};

}  // namespace agentctl::bwrap
