// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_proof.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "bwrap/git_config.h"
#include "bwrap/git_pointer.h"
#include "bwrap/safe_path.h"

namespace agentctl::bwrap {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Error unproven(std::string message) { return make_error(ErrorKind::policy, std::move(message)); }

class Prover {
 public:
  Prover(const HostPath& project, PathResolver& resolver) : project_(project.str()), resolver_(resolver) {}

  Result<GitRepository> prove() {
    const std::string gitfile = join_path(project_, ".git");
    const std::string text = AGENTCTL_TRY(read_regular_file(HostPath(gitfile), kMostPointerBytes));
    const auto pointer = with_context(cat("cannot use '", printable(gitfile), "'"), parse_gitfile(text));
    if (!pointer) return pointer.error();
    const PathFact gitdir = AGENTCTL_TRY(follow(project_, *pointer));
    repository_.gitdir = repository_.common = gitdir.canonical;
    const std::string& at = gitdir.canonical.str();
    const bool has_common = resolver_.resolve(join_path(at, "commondir")).kind != PathKind::absent;
    if (is_ours(at)) {
      if (has_common) AGENTCTL_TRY_VOID(follow_common());
      if (is_ours(repository_.common.str())) return std::move(repository_);
      return unproven(cat("'", printable(join_path(at, "commondir")), "' leads out of the project"));
    }
    AGENTCTL_TRY_VOID(has_common ? prove_worktree() : prove_submodule());
    AGENTCTL_TRY_VOID(check(repository_.gitdir.str(), !has_common));
    AGENTCTL_TRY_VOID(check(repository_.common.str(), true));
    return std::move(repository_);
  }

 private:
  [[nodiscard]] bool is_ours(const std::string& path) const { return starts_with_path(path, project_); }

  Result<PathFact> follow(const std::string& directory, const std::string& path) {
    PathFact fact = resolver_.resolve(path_from(directory, path));
    if (fact.kind != PathKind::directory) return unproven(cat("'", printable(path), "' is no directory"));
    repository_.named.push_back(fact);
    return fact;
  }

  Result<std::string> read_path(const std::string& file) {
    const std::string text = AGENTCTL_TRY(read_regular_file(HostPath(file), kMostPointerBytes));
    return with_context(cat("cannot use '", printable(file), "'"), parse_path_line(text));
  }

  Result<void> follow_common() {
    const std::string& gitdir = repository_.gitdir.str();
    const std::string path = AGENTCTL_TRY(read_path(join_path(gitdir, "commondir")));
    repository_.common = AGENTCTL_TRY(follow(gitdir, path)).canonical;
    return {};
  }

  Result<void> prove_worktree() {
    AGENTCTL_TRY_VOID(follow_common());
    const std::string& gitdir = repository_.gitdir.str();
    const std::string worktrees = parent_path(gitdir);
    if (base_name(worktrees) != "worktrees" || parent_path(worktrees) != repository_.common.str()) {
      return unproven(cat("'", printable(gitdir), "' is not in the worktrees of its common directory"));
    }
    const std::string back = AGENTCTL_TRY(read_path(join_path(gitdir, "gitdir")));
    const std::string named = path_from(gitdir, back);
    const PathFact tree = resolver_.resolve(parent_path(named));
    if (base_name(named) != ".git" || tree.canonical.str() != project_) {
      return unproven(cat("'", printable(gitdir), "' is the gitdir of '", printable(parent_path(named)), "'"));
    }
    repository_.named.push_back(tree);
    return {};
  }

  Result<void> prove_submodule() {
    const std::string& gitdir = repository_.gitdir.str();
    const std::string config = join_path(gitdir, "config");
    const std::string text = AGENTCTL_TRY(read_regular_file(HostPath(config), kMostConfigBytes));
    const auto settings = with_context(cat("cannot use '", printable(config), "'"), parse_git_config(text));
    if (!settings) return settings.error();
    const auto tree = find_setting(*settings, "core.worktree");
    if (!tree) return unproven(cat("'", printable(gitdir), "' names no working tree"));
    if (resolver_.resolve(path_from(gitdir, *tree)).canonical.str() == project_) return {};
    return unproven(cat("'", printable(gitdir), "' has its working tree in '", printable(*tree), "'"));
  }

  Result<void> check(const std::string& directory, bool whole) {
    struct stat status {};
    if (::lstat(directory.c_str(), &status) != 0) {
      return errno_error(cat("cannot examine '", printable(directory), "'"));
    }
    if (status.st_uid != ::getuid()) return unproven(cat("'", printable(directory), "' belongs to another user"));
    if (!whole || looks_like_repository(directory, resolver_)) return {};
    return unproven(cat("'", printable(directory), "' is no repository"));
  }

  const std::string& project_;
  PathResolver& resolver_;
  GitRepository repository_;
};

}  // namespace

Result<GitRepository> prove_repository(const HostPath& project, PathResolver& resolver) {
  return Prover(project, resolver).prove();
}

bool looks_like_repository(const std::string& directory, PathResolver& resolver) {
  const PathFact head = resolver.resolve(join_path(directory, "HEAD"));
  if (head.kind != PathKind::file && head.links.empty()) return false;  // a link to a branch yet unborn, in old ones
  return resolver.resolve(join_path(directory, "objects")).kind == PathKind::directory &&
         resolver.resolve(join_path(directory, "refs")).kind == PathKind::directory;
}

}  // namespace agentctl::bwrap
