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
constexpr std::size_t kMostModuleDirectories = 256;  // each gitdir costs a mount or two
constexpr std::size_t kMostMissed = 16;

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

void GitGuards::refuse_commondir(const std::string& gitdir) {
  const PathFact commondir = resolver_.resolve(join_path(gitdir, "commondir"));
  if (commondir.kind == PathKind::absent && commondir.links.empty()) found_.refused.push_back(commondir.path.str());
}

void GitGuards::guard_names(const std::string& gitdir) {
  for (const Name& name : names_) guard(join_path(gitdir, name.relative), name.origin);
  refuse_commondir(gitdir);
}

void GitGuards::guard_modules(const std::string& modules) {
  if (resolver_.resolve(modules).canonical.str() != modules) return;  // absent, or a link
  const std::size_t before = found_.guarded.size();
  std::size_t budget = kMostModuleDirectories;
  const auto walked = walk_modules(modules, 0, budget);
  if (walked) return;
  found_.guarded.resize(before);
  guard(modules, kOrigin);
  found_.warnings.push_back(
      cat("git: submodules in '", printable(modules), "' are read-only: ", walked.error().message));
}

Result<void> GitGuards::walk_modules(const std::string& modules, int depth, std::size_t& budget) {
  if (depth > kMostModuleDepth) return make_error(ErrorKind::policy, "they lie too deep");
  for (const std::string& name : AGENTCTL_TRY(list_directory(HostPath(modules), kMostNames))) {
    const std::string path = join_path(modules, name);
    const PathFact fact = resolver_.resolve(path);
    if (fact.kind != PathKind::directory || !fact.links.empty()) continue;
    if (budget-- == 0) return make_error(ErrorKind::policy, "there are too many");
    if (!looks_like_repository(path, resolver_)) {
      AGENTCTL_TRY_VOID(walk_modules(path, depth + 1, budget));  // the name of a submodule may hold slashes
      continue;
    }
    guard_names(path);
    const std::string inner = join_path(path, "modules");
    if (resolver_.resolve(inner).canonical.str() == inner) {
      AGENTCTL_TRY_VOID(walk_modules(inner, depth + 1, budget));
    }
  }
  return {};
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

std::optional<std::string> GitGuards::origin_of(std::string_view name) const {
  const auto found =
      std::find_if(names_.begin(), names_.end(), [&](const Name& each) { return each.relative == name; });
  return found == names_.end() ? std::nullopt : std::optional(found->origin);
}

void GitGuards::guard_inside(const std::string& path, const std::string& origin) {
  const std::string place = normalize_path(path);
  if (place != project_.str() && starts_with_path(place, project_.str())) guard(place, origin);
}

void GitGuards::guard_hooks(const std::vector<GitSetting>& settings) {
  const auto origin = origin_of("hooks");
  const auto path = find_setting(settings, "core.hookspath");
  if (!origin || !path || path->empty() || path->starts_with('~') || path->starts_with('%')) return;
  const std::string directory = path_from(project_.str(), *path);
  // What git runs in ".husky/_" only calls what lies beside that directory.
  guard_inside(directory.ends_with("/_") ? parent_path(directory) : directory, *origin);
}

void GitGuards::guard_config(const std::string& file) {
  const PathFact fact = resolver_.resolve(file);
  if (fact.kind != PathKind::file) return;
  const auto text = read_regular_file(fact.canonical, kMostConfigBytes);
  const auto settings = text ? parse_git_config(*text) : Result<std::vector<GitSetting>>(text.error());
  if (!settings) {
    found_.warnings.push_back(
        cat("git: cannot use '", printable(file), "': ", settings.error().message, "; what it names is not protected"));
    return;
  }
  guard_hooks(*settings);
  const auto origin = origin_of("config");
  if (!origin) return;
  for (const GitSetting& setting : *settings) {
    const bool includes =
        setting.key == "include.path" || (setting.key.starts_with("includeif.") && setting.key.ends_with(".path"));
    if (!includes || setting.value.empty() || setting.value.starts_with('~')) continue;
    guard_inside(path_from(parent_path(fact.canonical.str()), setting.value), *origin);
  }
}

void GitGuards::note_alternates(const std::string& common) {
  const PathFact fact = resolver_.resolve(join_path(common, "objects/info/alternates"));
  if (fact.kind != PathKind::file) return;
  const auto text = read_regular_file(fact.canonical, kMostConfigBytes);
  for (const std::string& line : text ? split(*text, '\n') : std::vector<std::string>()) {
    if (line.empty() || line.starts_with('#') || line.starts_with('"')) continue;
    PathFact objects = resolver_.resolve(path_from(join_path(common, "objects"), line));
    if (objects.kind != PathKind::directory || found_.missed.size() == kMostMissed) continue;
    found_.missed.push_back({std::move(objects), "from which the repository borrows objects"});
  }
}

}  // namespace agentctl::bwrap
