// SPDX-License-Identifier: Apache-2.0
#include "bwrap/followed_names.h"

#include <cerrno>
#include <utility>

#include "bwrap/hidden_name.h"

namespace agentctl::bwrap {

std::vector<GuardedMount> find_followed_names(const SandboxView& sandbox, const HostTrees& trees,
                                              const GuardedMount& hidden) {
  std::vector<GuardedMount> found;
  if (!sandbox.leads_over_link(hidden.path)) return found;
  const PathFact fact = sandbox.resolve(hidden.path);
  std::vector<HiddenName> names = find_hidden_names(fact, hidden.origin);
  if (fact.kind == PathKind::file) names.push_back({fact.canonical.str(), {}, hidden.origin});
  for (HiddenName& name : names) {
    if (name.path == hidden.path || !trees.show_new(name.path)) continue;
    found.push_back({name.path, trees.root_of(name.path), Guard::name, std::move(name.origin), std::move(name.link)});
  }
  return found;
}

std::vector<GuardedMount> find_pins_above(const SandboxView& sandbox, const HostTrees& trees,
                                          const GuardedMount& hidden) {
  std::vector<GuardedMount> pins;
  for (const std::string& directory : trees.directories_above(hidden.path)) {
    if (sandbox.can_be_renamed(directory)) pins.push_back({directory, directory, Guard::pin, hidden.origin});
  }
  return pins;
}

}  // namespace agentctl::bwrap
