// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_proof.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "base/unique_fd.h"
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
      if (!has_common) return std::move(repository_);
      held_ = AGENTCTL_TRY(hold_directory(gitdir.canonical));
      const std::string path = AGENTCTL_TRY(read_path("commondir"));
      repository_.common = AGENTCTL_TRY(follow(at, path)).canonical;
      if (is_ours(repository_.common.str())) return std::move(repository_);
      return unproven(cat("'", printable(join_path(at, "commondir")), "' leads out of the project"));
    }
    AGENTCTL_TRY_VOID(has_common ? prove_worktree() : prove_submodule());
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

  // From here on everything is read beneath the directory that is held, whatever becomes of its name.
  Result<void> hold(const std::string& common) {
    repository_.common = HostPath(common);
    held_ = AGENTCTL_TRY(hold_directory(repository_.common));
    struct stat status {};
    if (::fstat(held_.get(), &status) != 0) return errno_error(cat("cannot examine '", printable(common), "'"));
    if (status.st_uid != ::getuid()) return unproven(cat("'", printable(common), "' belongs to another user"));
    repository_.identity = {status.st_dev, status.st_ino};
    for (const char* name : {"HEAD", "objects", "refs"}) {
      const bool directory = std::string_view(name) != "HEAD";
      if (::fstatat(held_.get(), name, &status, directory ? 0 : AT_SYMLINK_NOFOLLOW) != 0 ||
          S_ISDIR(status.st_mode) != directory) {
        return unproven(cat("'", printable(common), "' is no repository"));
      }
    }
    return {};
  }

  Result<std::string> read_path(const std::string& file) const {
    const std::string text = AGENTCTL_TRY(read_regular_file_beneath(held_.get(), file, kMostPointerBytes));
    return with_context(cat("cannot use '", printable(file), "'"), parse_path_line(text));
  }

  Result<void> prove_worktree() {
    const std::string& gitdir = repository_.gitdir.str();
    const std::string worktrees = parent_path(gitdir);
    const std::string common = parent_path(worktrees);
    const std::string own = cat("worktrees/", base_name(gitdir));
    if (base_name(worktrees) != "worktrees") return unproven(cat("'", printable(gitdir), "' is not in 'worktrees'"));
    AGENTCTL_TRY_VOID(hold(common));
    const std::string path = AGENTCTL_TRY(read_path(own + "/commondir"));
    const PathFact named = AGENTCTL_TRY(follow(gitdir, path));
    if (named.canonical != repository_.common) {
      return unproven(cat("'", printable(gitdir), "' is not in its common directory"));
    }
    const std::string pointer = AGENTCTL_TRY(read_path(own + "/gitdir"));
    const std::string back = path_from(gitdir, pointer);
    PathFact tree = resolver_.resolve(parent_path(back));
    if (base_name(back) != ".git" || tree.canonical.str() != project_) {
      return unproven(cat("'", printable(gitdir), "' is the gitdir of '", printable(parent_path(back)), "'"));
    }
    repository_.named.push_back(std::move(tree));
    return {};
  }

  Result<void> prove_submodule() {
    const std::string gitdir = repository_.gitdir.str();
    AGENTCTL_TRY_VOID(hold(gitdir));
    const std::string text = AGENTCTL_TRY(read_regular_file_beneath(held_.get(), "config", kMostConfigBytes));
    const auto settings = with_context("cannot use its 'config'", parse_git_config(text));
    if (!settings) return settings.error();
    const auto tree = find_setting(*settings, "core.worktree");
    if (!tree) return unproven(cat("'", printable(gitdir), "' names no working tree"));
    if (resolver_.resolve(path_from(gitdir, *tree)).canonical.str() == project_) return {};
    return unproven(cat("'", printable(gitdir), "' has its working tree in '", printable(*tree), "'"));
  }

  const std::string& project_;
  PathResolver& resolver_;
  GitRepository repository_;
  UniqueFd held_;
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
