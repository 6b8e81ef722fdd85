// SPDX-License-Identifier: Apache-2.0
#include "bwrap/shown_secrets.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/rule_entry.h"
#include "bwrap/secret_project.h"
#include "policy/secret_places.h"

namespace agentctl::bwrap {
namespace {

constexpr std::size_t kMostNamed = 4;

// What lies in such a place and is no secret: ssh(1), "FILES".
bool is_public(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.ends_with(".pub") || name.starts_with("known_hosts") || path.ends_with("/.ssh/config") ||
         name == "allowed_signers";
}

class Teller {
 public:
  Teller(const HostFacts& facts, const Layout& layout, std::vector<std::string>& warnings)
      : facts_(facts), layout_(layout), warnings_(warnings) {}

  // An entry that shows something.
  void look(const policy::Entry& entry) {
    if (policy::is_built_in(entry.origin)) return;
    const auto found = facts_.paths.find(expand_entry(entry, facts_));
    if (found == facts_.paths.end() || found->second.kind == PathKind::absent) return;
    const PathFact& shown = found->second;
    const std::string& end = shown.canonical.str();
    if (!is_seen(shown) || is_public(end)) return;
    std::vector<std::string> below;
    for (const PathFact& place : facts_.secret_places) {
      if (is_of_profile(entry, place)) continue;
      const std::string& secret = place.canonical.str();
      if (secret == end) return tell(entry, cat("'", name_of(place), "', a known place of secrets"));
      if (starts_with_path(end, secret)) {
        return tell(entry, cat("'", printable(entry.text), "', in a known place of secrets"));
      }
      if (starts_with_path(secret, end) && is_seen(place)) below.push_back(name_of(place));
    }
    if (below.empty()) return;
    tell(entry, cat("known places of secrets in '", printable(entry.text), "': ", join_some(below, ", ", kMostNamed)));
  }

  // An entry that takes such a place, or a path that a policy names, out of what is hidden.
  void look_at_removal(const policy::Entry& entry) {
    const std::string path = expand_entry(entry, facts_);
    for (const PathFact& place : facts_.secret_places) {
      if (place.path.str() != path || !is_seen(place)) continue;
      tell(entry, cat("'", name_of(place), "', a known place of secrets"));
    }
  }

  void look_at_removal(const policy::Removal& removal) {
    if (removal.list != "hide" || has_glob(removal.entry.text)) return;
    const auto found = facts_.paths.find(expand_entry(removal.entry, facts_));
    const bool is_there = found != facts_.paths.end() && found->second.kind != PathKind::absent;
    if (!is_there || !starts_with_path(found->first, facts_.home.path.str()) || !is_seen(found->second)) return;
    tell(removal.entry, cat("'", printable(removal.entry.text), "', which is hidden otherwise"));
  }

 private:
  [[nodiscard]] bool is_seen(const PathFact& fact) const {
    return layout_.shows(fact) && !layout_.is_hidden(fact.canonical.str());
  }

  // A profile of the user's own is mostly a copy of a built-in one, with the state of its agent.
  [[nodiscard]] bool is_of_profile(const policy::Entry& entry, const PathFact& place) const {
    return starts_with_path(entry.origin.source, cat(facts_.config_dir, "/profiles")) &&
           policy::is_agent_state(name_in_home(place, facts_).substr(2));
  }

  [[nodiscard]] std::string name_of(const PathFact& place) const { return printable(name_in_home(place, facts_)); }

  void tell(const policy::Entry& entry, const std::string& what) {
    warnings_.push_back(cat("files: ", policy::to_string(entry.origin), " shows ", what));
  }

  const HostFacts& facts_;
  const Layout& layout_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void warn_of_shown_secrets(const policy::FileSettings& files, const HostFacts& facts, const Layout& layout,
                           std::vector<std::string>& warnings) {
  Teller teller(facts, layout, warnings);
  for (const policy::Entries* list : {&files.read_only, &files.read_write, &files.copy}) {
    for (const policy::Entry& entry : *list) teller.look(entry);
  }
  for (const policy::Entry& entry : files.shown) teller.look_at_removal(entry);
  for (const policy::Removal& removal : files.removals) teller.look_at_removal(removal);
}

}  // namespace agentctl::bwrap
