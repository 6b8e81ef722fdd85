// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_watch.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::uint64_t kLongestUsec = 2'000'000;
constexpr std::size_t kFewDirectories = 16;  // are read before anybody can do much
constexpr std::string_view kPackages = "node_modules";
constexpr std::string_view kRepository = ".git";
constexpr std::string_view kObjects = "objects";

// The way from `base` to `path`, which is it or lies below it.
std::vector<std::string> names_between(const std::string& base, const std::string& path) {
  std::vector<std::string> names = split(std::string_view(path).substr(base.size()), '/');
  std::erase(names, "");
  return names;
}

bool is_absent(const Error& error) {
  return error.sys_errno == ENOENT || error.sys_errno == ENOTDIR || error.sys_errno == ELOOP;
}

}  // namespace

bool is_unwatched(const std::string& path, const std::string& base) {
  std::string_view above;
  const std::vector<std::string> names = names_between(base, path);
  for (const std::string& name : names) {
    if (name == kPackages || (name == kObjects && above == kRepository)) return true;
    above = name;
  }
  return false;
}

// What one batch of events leads to.
class GlobWatch::Search {
 public:
  Search(GlobWatch& watch, const std::function<void()>& hold_still) : watch_(watch), hold_still_(hold_still) {}

  Result<void> consider(const NewName& name) {
    const auto watched = watch_.paths_.find(name.watch);
    if (watched == watch_.paths_.end()) return {};
    const std::string directory = watched->second;
    for (const Group& group : watch_.groups_) {
      if (!group.root.valid() || !starts_with_path(directory, group.base)) continue;
      const GlobSet::Going& going = going_into(group, directory);
      if (going.empty()) continue;
      GlobSet::Step step = group.globs->step(going, name.name, name.directory);
      const std::string path = join_path(directory, name.name);
      for (const std::size_t index : step.hits) add(group.globs->at(index), path);
      if (name.directory && !step.next.empty()) AGENTCTL_TRY_VOID(walk(group, path, std::move(step.next)));
    }
    return {};
  }

  Result<void> walk_all() {
    hold_still_();
    for (const Group& group : watch_.groups_) {
      if (group.root.valid()) AGENTCTL_TRY_VOID(walk(group, group.base, group.globs->start()));
    }
    return {};
  }

  // The host may have made the base, or put another in its place; or it was elsewhere, where nothing in it matched.
  Result<void> look_again(Group& group) {
    auto root = hold_directory(HostPath(group.base));
    if (!root) return is_absent(root.error()) ? Result<void>() : std::move(root).error();
    group.root = std::move(*root);
    return walk(group, group.base, group.globs->start());
  }

  std::vector<NewMatch> take() { return std::move(found_); }

 private:
  const GlobSet::Going& going_into(const Group& group, const std::string& directory) {
    const auto [known, is_new] = going_.try_emplace({&group, directory});
    if (!is_new) return known->second;
    GlobSet::Going going = group.globs->start();
    const std::vector<std::string> names = names_between(group.base, directory);
    for (const std::string& name : names) {
      if (!going.empty()) going = group.globs->step(going, name, true).next;
    }
    return known->second = std::move(going);
  }

  Result<void> walk(const Group& group, const std::string& from, GlobSet::Going going) {
    const auto before = [&](const std::string& path, const UniqueFd& directory) -> Result<bool> {
      if (is_unwatched(path, group.base)) return false;
      if (++walked_ > kFewDirectories) hold_still_();
      return watch_.visit(group, path, directory, kMostWatched);
    };
    const std::string below = join(names_between(group.base, from), "/");
    const WalkResult result =
        AGENTCTL_TRY(walk_for_globs(*group.globs, {group.root.get(), group.base, below, std::move(going)},
                                    monotonic_usec() + kLongestUsec, before));
    for (std::size_t index = 0; index < result.hits.size(); ++index) {
      for (const GlobHit& hit : result.hits[index]) {
        add(group.globs->at(index), join_path(result.directories[hit.directory].path, hit.name));
      }
    }
    return {};
  }

  void add(const WalkedGlob& glob, const std::string& path) {
    const bool is_seen = !watch_.trees_ || watch_.trees_->show_new(path);
    const std::vector<ShownByName>& shown = watch_.shown_by_name_;
    if (!is_seen || std::find(shown.begin(), shown.end(), ShownByName{path, glob.rule}) != shown.end()) return;
    found_.push_back({path, glob.rule});
  }

  GlobWatch& watch_;
  const std::function<void()>& hold_still_;
  std::map<std::pair<const Group*, std::string>, GlobSet::Going> going_;
  std::size_t walked_ = 0;
  std::vector<NewMatch> found_;
};

Result<WalkResult> GlobWatch::start(std::shared_ptr<const GlobSet> globs, const std::string& base,
                                    std::uint64_t deadline_usec) {
  auto root = hold_directory(HostPath(base));
  if (!root && !is_absent(root.error())) return std::move(root).error();
  Group group{std::move(globs), base, root ? std::move(*root) : UniqueFd()};
  const auto before = [&](const std::string& path, const UniqueFd& directory) -> Result<bool> {
    if (!is_unwatched(path, base)) AGENTCTL_TRY_VOID(watch(group, path, directory, kMostWatchedAtStart));
    return true;
  };
  WalkResult result;
  result.hits.resize(group.globs->size());
  if (group.root.valid()) {
    const WalkStart all{group.root.get(), base, "", group.globs->start()};
    result = AGENTCTL_TRY(walk_for_globs(*group.globs, all, deadline_usec, before));
  }
  groups_.push_back(std::move(group));
  return result;
}

Result<DirectoryWatch*> GlobWatch::directories() {
  if (!directories_) directories_ = std::make_unique<DirectoryWatch>(AGENTCTL_TRY(DirectoryWatch::create()));
  return directories_.get();
}

Result<bool> GlobWatch::visit(const Group& group, const std::string& path, const UniqueFd& directory,
                              std::size_t most) {
  if (trees_ && !trees_->show_directory(path)) return trees_->are_below(path);
  AGENTCTL_TRY_VOID(watch(group, path, directory, most));
  return true;
}

Result<void> GlobWatch::watch(const Group& group, const std::string& path, const UniqueFd& directory,
                              std::size_t most) {
  if (paths_.size() >= most) {
    return make_error(ErrorKind::policy, cat(group.globs->at(0).rule, ": leads to more than ", most, " directories"),
                      "hide the directory that holds them, or name a smaller one");
  }
  DirectoryWatch* const directories = AGENTCTL_TRY(this->directories());
  paths_[AGENTCTL_TRY(directories->keep(path, directory.get()))] = path;
  return {};
}

void GlobWatch::narrow(HostTrees trees, std::vector<ShownByName> shown_by_name) {
  shown_by_name_ = std::move(shown_by_name);
  std::erase_if(paths_, [&](const auto& watched) {
    if (trees.show_directory(watched.second)) return false;
    directories_->forget(watched.first);
    return true;
  });
  for (Group& group : groups_) group.is_movable = trees.show_directory(parent_path(group.base));
  trees_ = std::move(trees);
}

std::set<std::string> GlobWatch::directories_above() const {
  std::set<std::string> above;
  for (const Group& group : groups_) {
    for (std::string at = group.base; trees_ && trees_->show_directory(at = parent_path(at));) above.insert(at);
  }
  return above;
}

bool GlobWatch::concerns(const std::string& path) const {
  return std::any_of(groups_.begin(), groups_.end(),
                     [&](const Group& group) { return group.is_movable && starts_with_path(group.base, path); });
}

Result<std::vector<NewMatch>> GlobWatch::find(const Appeared& appeared, const std::function<void()>& hold_still) {
  for (const int watch : appeared.gone) paths_.erase(watch);
  Search search(*this, hold_still);
  for (Group& group : groups_) {
    const bool concerned =
        appeared.incomplete || std::any_of(appeared.paths.begin(), appeared.paths.end(),
                                           [&](const std::string& path) { return starts_with_path(group.base, path); });
    if (group.is_movable && concerned) AGENTCTL_TRY_VOID(search.look_again(group));
  }
  if (appeared.dropped) {
    AGENTCTL_TRY_VOID(search.walk_all());
  } else {
    for (const NewName& name : appeared.names) AGENTCTL_TRY_VOID(search.consider(name));
  }
  return search.take();
}

}  // namespace agentctl::bwrap
