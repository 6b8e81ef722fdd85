// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_guards.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "bwrap/directory_names.h"
#include "bwrap/git_config.h"
#include "bwrap/git_pointer.h"
#include "bwrap/git_proof.h"
#include "bwrap/safe_path.h"
#include "policy/entry.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kGitPrefix = ".git/";
constexpr const char* kOrigin = "git";
constexpr std::size_t kMostNames = 4096;
constexpr std::size_t kMostSingleWorktrees = 64;  // beyond that, one mount for all
constexpr int kMostModuleDepth = 16;

}  // namespace

GitGuards::GitGuards(const policy::Entries& protect, HostPath project, PathResolver& resolver, GitFact& found)
    : project_(std::move(project)), resolver_(resolver), found_(found) {
  for (const policy::Entry& entry : protect) {
    const std::string path = policy::normal_path(entry.text);
    const bool plain = path.find_first_of("*?[") == std::string::npos && path.find("..") == std::string::npos;
    if (!plain || !path.starts_with(kGitPrefix) || path.size() == kGitPrefix.size()) continue;
    names_.push_back({path.substr(kGitPrefix.size()), policy::to_string(entry.origin)});
  }
}

void GitGuards::guard(const std::string& path, const std::string& origin) {
  PathFact fact = resolver_.resolve(path);
  if (fact.kind == PathKind::file || fact.kind == PathKind::directory) {
    found_.guarded.push_back({std::move(fact), origin});
  }
}

void GitGuards::guard_names(const std::string& gitdir) {
  for (const Name& name : names_) guard(join_path(gitdir, name.relative), name.origin);
}

void GitGuards::guard_modules(const std::string& modules, int depth) {
  if (resolver_.resolve(modules).canonical.str() != modules) return;  // absent, or a link
  const auto names = list_directory(HostPath(modules), kMostNames);
  if (!names || depth == kMostModuleDepth) {
    found_.warnings.push_back(cat("git: submodules in '", printable(modules),
                                  "' are read-only: ", names ? "they lie too deep" : names.error().message));
    guard(modules, kOrigin);
    return;
  }
  for (const std::string& name : *names) {
    const std::string path = join_path(modules, name);
    if (resolver_.resolve(path).kind != PathKind::directory) continue;
    if (looks_like_repository(path, resolver_)) {
      guard_names(path);
      guard_modules(join_path(path, "modules"), depth + 1);
    } else {
      guard_modules(path, depth + 1);  // the name of a submodule may hold slashes
    }
  }
}

bool GitGuards::has_tree_in_project(const std::string& gitdir) {
  const auto text = read_regular_file(HostPath(join_path(gitdir, "gitdir")), kMostPointerBytes);
  const auto path = text ? parse_path_line(*text) : Result<std::string>(text.error());
  if (!path) return false;
  const PathFact tree = resolver_.resolve(parent_path(path_from(gitdir, *path)));
  return tree.kind == PathKind::directory && tree.canonical != project_ &&
         starts_with_path(tree.canonical.str(), project_.str());
}

void GitGuards::guard_worktrees(const std::string& common, const std::string& own) {
  const std::string worktrees = join_path(common, "worktrees");
  if (resolver_.resolve(worktrees).canonical.str() != worktrees) return;
  const auto guard_tree = [&](const std::string& gitdir) {
    guard_names(gitdir);
    for (const char* pointer : {"commondir", "gitdir"}) guard(join_path(gitdir, pointer), kOrigin);
    guard_modules(join_path(gitdir, "modules"));
  };
  const auto names = list_directory(HostPath(worktrees), kMostNames);
  if (!names || names->size() > kMostSingleWorktrees) {
    found_.has_other_worktrees = true;
    guard(worktrees, kOrigin);
    if (own.empty()) return;
    found_.granted.push_back(resolver_.resolve(own));
    guard_tree(own);
    return;
  }
  for (const std::string& name : *names) {
    const std::string gitdir = join_path(worktrees, name);
    if (gitdir == own || has_tree_in_project(gitdir)) {
      guard_tree(gitdir);
    } else {
      found_.has_other_worktrees = true;
      guard(gitdir, kOrigin);
    }
  }
}

void GitGuards::guard_hooks_path(const std::string& config_file) {
  if (names_.empty() || resolver_.resolve(config_file).kind != PathKind::file) return;
  const auto hooks =
      std::find_if(names_.begin(), names_.end(), [](const Name& name) { return name.relative == "hooks"; });
  if (hooks == names_.end()) return;  // the user lets the agent write hooks
  const auto text = read_regular_file(resolver_.resolve(config_file).canonical, kMostConfigBytes);
  const auto settings = text ? parse_git_config(*text) : Result<std::vector<GitSetting>>(text.error());
  if (!settings) {
    found_.warnings.push_back(cat("git: cannot use '", printable(config_file), "': ", settings.error().message,
                                  "; hooks that it names are not protected"));
    return;
  }
  const auto path = find_setting(*settings, "core.hookspath");
  if (!path || path->empty() || path->starts_with('~') || path->starts_with('%')) return;
  std::string directory = normalize_path(path_from(project_.str(), *path));
  // What git runs in ".husky/_" only calls what lies beside that directory.
  if (directory.ends_with("/_")) directory = parent_path(directory);
  if (directory != project_.str() && starts_with_path(directory, project_.str())) guard(directory, hooks->origin);
}

}  // namespace agentctl::bwrap
