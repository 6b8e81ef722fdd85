// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_repository.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "bwrap/directory_names.h"
#include "bwrap/git_guards.h"
#include "bwrap/git_proof.h"
#include "bwrap/git_user_config.h"
#include "policy/entry.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "git";
constexpr std::size_t kMostEntries = 4096;

// What may stand in a gitdir, by gitrepository-layout(5) and by the tools that keep their data there. Only asked for
// where working trees stand in it, too.
constexpr std::string_view kGitNames[] = {"HEAD",     "FETCH_HEAD",      "ORIG_HEAD",   "annex",    "branches",
                                          "config",   "config.worktree", "description", "gc.log",   "gc.pid",
                                          "hooks",    "index",           "info",        "lfs",      "logs",
                                          "modules",  "objects",         "packed-refs", "refs",     "reftable",
                                          "rr-cache", "shallow",         "sharedindex", "worktrees"};

class Finder {
 public:
  Finder(const GitRequest& request, PathResolver& resolver)
      : project_(request.project),
        home_(request.home),
        files_(request.files),
        resolver_(resolver),
        guards_(request.files.protect, request.project, resolver, fact_) {}

  GitFact find() {
    const PathFact dot = resolver_.resolve(join_path(project_.str(), ".git"));
    if (!dot.links.empty()) {
      warn_of_link(dot);
    } else if (dot.kind == PathKind::directory) {
      guard_plain(dot.canonical.str());
    } else if (dot.kind == PathKind::file) {
      follow_gitfile();
    } else if (dot.kind != PathKind::absent) {
      fact_.warnings.push_back("git: '.git' is neither a file nor a directory");
    } else if (looks_like_repository(project_.str(), resolver_)) {
      guards_.guard_names(project_.str());
      guard_plain(project_.str());
    } else {
      look_above();
    }
    for (const policy::Entry& entry : files_.read_write) guard_opened(entry);
    read_user_config();
    return std::move(fact_);
  }

 private:
  void warn_of_link(const PathFact& dot) {
    const std::string& end = dot.canonical.str();
    if (!end.empty() && starts_with_path(end, project_.str())) return guard_plain(end);
    fact_.warnings.push_back(cat("git: '.git' is a link to '", printable(dot.links.front().target),
                                 "', outside of the project: it is not followed, git finds no repository"));
  }

  void guard_plain(const std::string& common) {
    guards_.refuse_commondir(common);
    guards_.guard_worktrees(common, {});
    guards_.guard_modules(join_path(common, "modules"));
    guard_settings(common, common);
  }

  // A repository that the user lets the session write as well.
  void guard_opened(const policy::Entry& entry) {
    const PathFact fact = resolver_.resolve(expand_path(entry.text, home_, project_.str()));
    if (fact.kind != PathKind::directory || fact.canonical == project_) return;
    const std::string& top = fact.canonical.str();
    const std::string inner = join_path(top, ".git");
    const bool bare = looks_like_repository(top, resolver_);
    if (!bare && resolver_.resolve(inner).canonical.str() != inner) return;
    const std::string& common = bare ? top : inner;
    if (resolver_.resolve(common).kind != PathKind::directory) return;
    guards_.guard_names(common);
    guards_.guard_worktrees(common, {});
    guards_.guard_modules(join_path(common, "modules"));
  }

  void guard_settings(const std::string& gitdir, const std::string& common) {
    guards_.guard_config(join_path(common, "config"));
    guards_.guard_config(join_path(gitdir, "config.worktree"));
    guards_.note_alternates(common);
    gitdir_ = gitdir;
  }

  // Only where the session sees that configuration at all.
  void read_user_config() {
    const auto shows = [&](const policy::Entry& entry) {
      const std::string path = policy::normal_path(entry.text);
      return path == "~/.gitconfig" || path == "~/.config/git";
    };
    if (home_.empty() || std::none_of(files_.read_only.begin(), files_.read_only.end(), shows)) return;
    GitUserConfig config = read_git_user_config(home_, gitdir_, resolver_);
    guards_.guard_hooks(config.settings);
    fact_.ignore_list = find_setting(config.settings, "core.excludesfile");
    fact_.read = std::move(config.read);
    for (PathFact& program : config.run) {
      fact_.missed.push_back({std::move(program), "which your git configuration runs"});
    }
    std::move(config.warnings.begin(), config.warnings.end(), std::back_inserter(fact_.warnings));
  }

  void follow_gitfile() {
    const std::string gitfile = join_path(project_.str(), ".git");
    guards_.guard(gitfile, kOrigin);
    auto proven = prove_repository(project_, resolver_);
    if (!proven) {
      fact_.warnings.push_back(
          cat("git: the repository that '", printable(gitfile), "' names is not shown: ", proven.error().message));
      return;
    }
    fact_.named = std::move(proven->named);
    const std::string& gitdir = proven->gitdir.str();
    const std::string& common = proven->common.str();
    const bool outside = !starts_with_path(common, project_.str());
    if (outside) {
      fact_.granted.push_back(resolver_.resolve(common));
      fact_.identity = proven->identity;
    }
    guards_.guard_names(common);
    guard_settings(gitdir, common);
    if (gitdir == common) {
      guards_.guard_worktrees(common, {});
      guards_.guard_modules(join_path(common, "modules"));
      return;
    }
    guards_.guard_worktrees(common, gitdir);
    guards_.guard(join_path(common, "modules"), kOrigin);  // of the main working tree
    if (outside) cover_strangers(common);
  }

  // A bare repository may have the working trees in it, beside git's own files, and whatever else the user put there.
  void cover_strangers(const std::string& common) {
    if (!starts_with_path(project_.str(), common)) return;
    const auto names = list_directory(HostPath(common), kMostEntries);
    if (!names) {
      fact_.granted.clear();
      fact_.warnings.push_back(cat("git: the repository is not shown: ", names.error().message));
      return;
    }
    for (const std::string& name : *names) {
      if (std::find(std::begin(kGitNames), std::end(kGitNames), name) != std::end(kGitNames)) continue;
      PathFact entry = resolver_.resolve(join_path(common, name));
      if (entry.canonical == project_ || !entry.links.empty()) continue;
      if (entry.kind == PathKind::file || entry.kind == PathKind::directory) fact_.covered.push_back(std::move(entry));
    }
  }

  // git looks for a repository in every directory above; in the home and above it that would be somebody's dotfiles.
  void look_above() {
    const std::string home = resolver_.resolve(home_.empty() ? "/" : home_).canonical.str();
    for (std::string at = parent_path(project_.str()); at != "/" && at != home; at = parent_path(at)) {
      PathFact dot = resolver_.resolve(join_path(at, ".git"));
      if (dot.kind == PathKind::absent) continue;
      fact_.above = std::move(dot);
      return;
    }
  }

  const HostPath& project_;
  std::string home_;
  const policy::FileSettings& files_;
  PathResolver& resolver_;
  std::string gitdir_;
  GitFact fact_;
  GitGuards guards_;
};

}  // namespace

GitFact find_git(const GitRequest& request, PathResolver& resolver) { return Finder(request, resolver).find(); }

}  // namespace agentctl::bwrap
