// SPDX-License-Identifier: Apache-2.0
#include "bwrap/git_rules.h"

#include <utility>

#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/project_check.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "git";

void add_guard(const GitFact::Guard& guard, const HostFacts& facts, Layout& layout,
               std::vector<std::string>& warnings) {
  for (const Link& link : guard.fact.links) {
    if (!starts_with_path(link.path.str(), facts.project.canonical.str())) continue;
    warnings.push_back(cat("git: '", printable(guard.fact.path.str()), "' is protected only at '",
                           printable(guard.fact.canonical.str()), "': the agent may replace the link '",
                           printable(link.path.str()), "'"));
  }
  Want want = bind_want(guard.fact, Access::read_only, Rank::protect, guard.origin);
  want.grants = false;
  layout.want(std::move(want));
}

}  // namespace

void add_git(const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings) {
  const GitFact& git = facts.git;
  warnings.insert(warnings.end(), git.warnings.begin(), git.warnings.end());
  for (const PathFact& fact : git.read) {
    layout.want_links(fact, kOrigin);
    layout.want(bind_want(fact, Access::read_only, Rank::built_in, kOrigin));
  }
  for (const PathFact& fact : git.granted) {
    const policy::Entry entry{fact.canonical.str(), policy::Origin{kOrigin}};
    if (const auto allowed = check_writable(entry, fact, facts); !allowed) {
      warnings.push_back(allowed.error().message);
      return;
    }
  }
  for (const PathFact& fact : git.named) layout.want_links(fact, kOrigin);
  for (const PathFact& fact : git.granted) {
    Want want = bind_want(fact, Access::read_write, Rank::built_in, kOrigin);
    if (&fact == &git.granted.front()) want.operation.identity = git.identity;
    layout.want(std::move(want));
  }
  for (const GitFact::Guard& guard : git.guarded) add_guard(guard, facts, layout, warnings);
  for (const PathFact& fact : git.covered) layout.want(hide_want(fact, kOrigin));
}

GitSettings git_settings(const HostFacts& facts) {
  if (!facts.git.has_other_worktrees) return {};
  return {{"gc.reflogExpire", "never"}, {"gc.reflogExpireUnreachable", "never"}, {"gc.worktreePruneExpire", "never"}};
}

void tell_of_git(const HostFacts& facts, const Layout& layout, std::vector<std::string>& warnings) {
  if (!facts.git.granted.empty() && layout.is_writable(facts.git.granted.front().canonical.str())) {
    warnings.push_back(cat("git: '", printable(facts.git.granted.front().canonical.str()),
                           "', which holds the project's repository, is writable"));
  }
  for (const GitFact::Missed& missed : facts.git.missed) {
    if (layout.shows(missed.fact)) continue;
    warnings.push_back(cat("git: '", printable(missed.fact.path.str()), "', ", missed.purpose,
                           ", is not shown: name it in read-only if the session needs it"));
  }
  const PathFact& above = facts.git.above;
  if (above.kind == PathKind::absent || layout.shows(above)) return;
  const std::string top = parent_path(above.path.str());
  warnings.push_back(cat("git: the project is a part of '", printable(top), "', whose repository is not shown; ",
                         "start there, or with --ro ", printable(shell_quote(top)), " --rw ",
                         printable(shell_quote(above.path.str()))));
}

}  // namespace agentctl::bwrap
