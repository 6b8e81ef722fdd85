// SPDX-License-Identifier: Apache-2.0
#include "bwrap/silent_mounts.h"

#include "base/text.h"

namespace agentctl::bwrap {

std::vector<std::string> trees_that_may_be_shown(const HostFacts& facts, policy::HomeMode home) {
  std::vector<std::string> trees = {facts.project.canonical.str()};
  const auto add = [&](const PathFact& fact) {
    if (fact.kind == PathKind::directory) trees.push_back(fact.canonical.str());
  };
  if (home == policy::HomeMode::read_only) add(facts.home);
  for (const PathFact& entry : facts.root_entries) add(entry);
  for (const auto& [unused, fact] : facts.paths) add(fact);
  for (const PathFact& need : facts.command.needs) add(need);
  for (const auto& [unused, entries] : facts.split) {
    for (const PathFact& entry : entries) add(entry);
  }
  for (const PathFact& granted : facts.git.granted) add(granted);
  return trees;
}

void cover_silent_mounts(const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings) {
  for (const SilentMount& mount : facts.silent_mounts) {
    if (layout.has_at(mount.path) || !layout.is_of_the_host(mount.path)) continue;
    PathFact fact;
    fact.path = fact.canonical = HostPath(mount.path);
    fact.kind = PathKind::directory;
    layout.want(hide_want(fact, "a mount that does not answer"));
    const bool is_idle = mount.type == kAutomount;
    warnings.push_back(
        cat("files: ",
            is_idle ? cat("nothing has used the automount point '", printable(mount.path), "' yet") : describe(mount),
            ": the session finds an empty directory there"));
  }
}

}  // namespace agentctl::bwrap
