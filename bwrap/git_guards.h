// SPDX-License-Identifier: Apache-2.0
// What stays read-only in the directories of a repository: git on the host obeys it, or it is another working tree's.
// The policy says which files: an entry "./.git/NAME" of protect counts in every gitdir of the project, wherever it is,
// so that taking that entry out is the way to open it. Reads names and small files; nothing here is ever granted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bwrap/git_config.h"
#include "bwrap/host_facts.h"
#include "bwrap/path_resolution.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

class GitGuards {
 public:
  // `protect` is the policy's list. Everything found is added to `found`.
  GitGuards(const policy::Entries& protect, HostPath project, PathResolver& resolver, GitFact& found);

  // The names of the policy in one gitdir.
  void guard_names(const std::string& gitdir);
  // A repository that is no worktree of another has no such file, and is to get none: see refused_name.h.
  void refuse_commondir(const std::string& gitdir);
  // The gitdirs of submodules below `modules`, each by itself; where there are too many, `modules` as a whole.
  void guard_modules(const std::string& modules);
  // The gitdirs of working trees in COMMON/worktrees: in one whose tree is in the project (and in `own`) the policy's
  // names and its pointers, any other as a whole.
  void guard_worktrees(const std::string& common, const std::string& own);
  // What a repository's configuration names in the project: the directory of hooks, and files that it includes, which
  // are as good as itself. Not what they include in turn.
  void guard_config(const std::string& file);
  void guard_hooks(const std::vector<GitSetting>& settings);
  // Other repositories of which this one has no copy. A project's word does not open them.
  void note_alternates(const std::string& common);
  // One path as a whole, if it is there.
  void guard(const std::string& path, const std::string& origin);

 private:
  struct Name {
    std::string relative;  // to a gitdir: "hooks"
    std::string origin;
  };
  [[nodiscard]] std::optional<std::string> origin_of(std::string_view name) const;
  void guard_inside(const std::string& path, const std::string& origin);
  [[nodiscard]] Result<void> walk_modules(const std::string& modules, int depth, std::size_t& budget);
  [[nodiscard]] bool has_tree_in_project(const std::string& gitdir);

  std::vector<Name> names_;
  HostPath project_;
  PathResolver& resolver_;
  GitFact& found_;
};

}  // namespace agentctl::bwrap
