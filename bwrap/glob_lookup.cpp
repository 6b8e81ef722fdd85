// SPDX-License-Identifier: Apache-2.0
#include "bwrap/glob_lookup.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "bwrap/glob_walk.h"

namespace agentctl::bwrap {
namespace {

bool is_wildcard(char character) { return character == '*' || character == '?' || character == '['; }

// The globs of a list that have one base and are all built in, or none of them.
struct Group {
  std::vector<WalkedGlob> globs;
  std::vector<GlobFact*> facts;
};

class Lookup {
 public:
  Lookup(const GlobPlaces& places, const GlobBounds& bounds, PathResolver& resolver, GlobWatch* watch)
      : places_(places), bounds_(bounds), resolver_(resolver), watch_(watch), left_(bounds.matches) {}

  Result<std::map<std::string, GlobFact>> look_up(const policy::Entries& entries) {
    for (const policy::Entry& entry : entries) {
      if (has_glob(entry.text)) AGENTCTL_TRY_VOID(sort(entry));
    }
    for (auto& [key, group] : groups_) {
      const auto& [base, is_built_in] = key;
      AGENTCTL_TRY_VOID(walk(base, group, is_built_in ? nullptr : watch_));
    }
    return std::move(facts_);
  }

 private:
  Result<void> sort(const policy::Entry& entry) {
    const auto [place, is_new] = facts_.try_emplace(entry.text);
    if (!is_new) return {};
    WalkedGlob walked{
        policy::Glob(expand_path(entry.text, policy::escape_glob(places_.home), policy::escape_glob(places_.project))),
        rule_of_glob(entry), policy::is_built_in(entry.origin), entry.any_case};
    const std::string& base = walked.glob.base();
    if (!starts_with_path(base, places_.home) && !starts_with_path(base, places_.project)) {
      return make_error(ErrorKind::policy,
                        cat(walked.rule, ": must not look for matches outside of the project and the home"));
    }
    PathFact start = resolver_.resolve(base);
    place->second.begins = start.kind == PathKind::directory ? start.canonical : start.present;
    if (walked.glob.is_match(walked.glob.start())) {
      place->second.matches.push_back(std::move(start));
    } else if (start.kind == PathKind::directory || (watch_ != nullptr && !walked.is_built_in)) {
      Group& group = groups_[{canonical_name(base), walked.is_built_in}];
      group.globs.push_back(std::move(walked));
      group.facts.push_back(&place->second);
    }
    return {};
  }

  // Also of what is not there yet.
  std::string canonical_name(const std::string& path) {
    const PathFact fact = resolver_.resolve(path);
    if (fact.kind != PathKind::absent || path == "/") return fact.canonical.str();
    const std::string above = parent_path(path);
    return join_path(canonical_name(above), path.substr(above == "/" ? 1 : above.size() + 1));
  }

  Result<void> walk(const std::string& base, Group& group, GlobWatch* watch) {
    const auto globs = std::make_shared<const GlobSet>(std::move(group.globs));
    WalkResult result = AGENTCTL_TRY(watch != nullptr ? watch->start(globs, base, bounds_.deadline_usec)
                                                      : walk_for_globs(*globs, base, bounds_.deadline_usec));
    std::size_t count = 0;
    for (const std::vector<GlobHit>& hits : result.hits) count += hits.size();
    const bool is_too_much = count > left_;
    for (std::size_t index = 0; index < globs->size(); ++index) {
      AGENTCTL_TRY_VOID(take(result, index, *globs, *group.facts[index], is_too_much));
    }
    group.facts.front()->left_out = std::move(result.left_out);
    return {};
  }

  Result<void> take(WalkResult& result, std::size_t index, const GlobSet& globs, GlobFact& fact, bool collapse) {
    std::vector<GlobHit> hits = std::move(result.hits[index]);
    if (collapse) {
      CollapsedHits collapsed = collapse_hits(result.directories, std::move(hits), {places_.project, places_.home});
      fact.collapsed = std::move(collapsed.directories);
      hits = std::move(collapsed.hits);
    }
    const std::size_t count = hits.size() + fact.collapsed.size();
    if (count > left_) return refuse(globs.at(index), count);
    left_ -= count;
    for (const Collapsed& directory : fact.collapsed) fact.matches.push_back(resolver_.resolve(directory.path));
    for (const GlobHit& hit : hits) {
      PathFact match = resolver_.resolve(join_path(result.directories[hit.directory].path, hit.name));
      // The walk looked at the name alone, which may be a link to a directory.
      if (globs.at(index).is_built_in && match.kind == PathKind::directory) continue;
      fact.matches.push_back(std::move(match));
    }
    std::sort(fact.matches.begin(), fact.matches.end(),
              [](const PathFact& one, const PathFact& other) { return one.path.str() < other.path.str(); });
    return {};
  }

  [[nodiscard]] Error refuse(const WalkedGlob& glob, std::size_t count) const {
    const std::string others = count <= bounds_.matches ? ", with the other globs," : "";
    const std::string hint = glob.is_built_in ? "hide the directory that holds them, or take the glob out with '!'"
                                              : "hide the directory that holds them, or name a smaller one";
    return make_error(ErrorKind::policy, cat(glob.rule, ": matches", others, " more than ", bounds_.matches, " paths"),
                      hint);
  }

  const GlobPlaces& places_;
  const GlobBounds& bounds_;
  PathResolver& resolver_;
  GlobWatch* watch_;
  std::size_t left_;
  std::map<std::string, GlobFact> facts_;
  std::map<std::pair<std::string, bool>, Group> groups_;  // by base, and whether they are built in
};

}  // namespace

std::string rule_of_glob(const policy::Entry& entry) {
  return cat(policy::to_string(entry.origin), ": '", printable(entry.text), "'");
}

bool has_glob(const std::string& entry) { return std::any_of(entry.begin(), entry.end(), is_wildcard); }

Result<std::map<std::string, GlobFact>> look_up_globs(const policy::Entries& entries, const GlobPlaces& places,
                                                      const GlobBounds& bounds, PathResolver& resolver,
                                                      GlobWatch* watch) {
  return Lookup(places, bounds, resolver, watch).look_up(entries);
}

}  // namespace agentctl::bwrap
