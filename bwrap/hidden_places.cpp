// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hidden_places.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "bwrap/environment_files.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/ignore_list.h"
#include "bwrap/other_names.h"
#include "bwrap/registry_login.h"
#include "bwrap/tracked_files.h"

namespace agentctl::bwrap {
namespace {

// Each is a bind of bwrap's, which reads the mount table for each.
constexpr std::size_t kMostProtected = 500;
// Each is read.
constexpr std::size_t kMostCertificates = 200;

// Of what the facts hold.
std::vector<const PathFact*> list_hidden(const policy::FileSettings& files, const HostFacts& facts) {
  std::vector<const PathFact*> hidden;
  const auto add = [&](const PathFact& fact) {
    if (fact.kind != PathKind::absent) hidden.push_back(&fact);
  };
  for (const policy::Entry& entry : files.hide) {
    if (has_glob(entry.text)) {
      for (const PathFact& match : facts.globs.at(entry.text).matches) add(match);
      continue;
    }
    const auto fact = facts.paths.find(expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str()));
    if (fact != facts.paths.end()) add(fact->second);
  }
  return hidden;
}

// Where a session can write a repository that lies outside of the project.
std::vector<std::string> list_writable(const policy::FileSettings& files, const HostFacts& facts) {
  std::vector<std::string> writable;
  for (const PathFact& granted : facts.git.granted) writable.push_back(granted.canonical.str());
  for (const policy::Entry& entry : files.read_write) {
    const auto fact = facts.paths.find(expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str()));
    if (fact == facts.paths.end() || fact->second.kind != PathKind::directory) continue;
    writable.push_back(fact->second.canonical.str());
  }
  return writable;
}

// A default hides keys. Certificates are named like them and are no secret; without them nobody can be trusted inside.
void leave_out_certificates(const policy::FileSettings& files, HostFacts& facts) {
  std::size_t looked_at = 0;
  for (const policy::Entry& entry : files.hide) {
    if (!policy::is_built_in(entry.origin) || !entry.text.ends_with(".pem") || !has_glob(entry.text)) continue;
    std::erase_if(facts.globs.at(entry.text).matches, [&](const PathFact& match) {
      return match.kind == PathKind::file && ++looked_at <= kMostCertificates &&
             is_certificate_file(match.canonical.str());
    });
  }
}

// npm and yarn cannot do without these files, most of which hold no login.
void leave_out_settings_without_login(const policy::FileSettings& files, HostFacts& facts) {
  for (const policy::Entry& entry : files.hide) {
    if (!policy::is_built_in(entry.origin) || !may_hold_registry_login(entry.text) || !has_glob(entry.text)) continue;
    std::erase_if(facts.globs.at(entry.text).matches, [&](const PathFact& match) {
      return match.kind == PathKind::file && !holds_registry_login_file(match.canonical);
    });
  }
}

// Which names what is hidden has, and what git knows of it.
void look_at_git(const policy::FileSettings& files, HostFacts& facts, PathResolver& resolver) {
  std::vector<const PathFact*> hidden = list_hidden(files, facts);
  if (!hidden.empty()) {
    facts.other_names =
        find_other_names(hidden, facts.project.canonical, monotonic_usec() + kLongestNameLookUsec, resolver);
    for (const auto& [unused, others] : facts.other_names) {
      for (const PathFact& other : others.found) hidden.push_back(&other);
    }
    KnownToGit known = find_tracked({facts.project.canonical, list_writable(files, facts), hidden}, resolver);
    facts.tracked = std::move(known.tracked);
    facts.untracked = std::move(known.untracked);
  }
  // What comes to match the user's own entries is hidden, too, and so are served sockets.
  const bool has_own_entries = std::any_of(files.hide.begin(), files.hide.end(), [](const policy::Entry& entry) {
    return !policy::is_built_in(entry.origin);
  });
  if (has_own_entries || !facts.untracked.empty() || !facts.served_sockets.empty()) {
    facts.ignore_list = read_ignore_list(facts.git.ignore_list, facts.home.path.str(), resolver);
  }
}

}  // namespace

Result<void> look_at_hidden_places(const policy::FileSettings& files, HostFacts& facts, PathResolver& resolver,
                                   GlobWatch* watch) {
  const GlobPlaces places{facts.home.path.str(), facts.project.canonical.str()};
  const GlobBounds bounds{monotonic_usec() + kLongestGlobLookUsec, kMostGlobMatches};
  facts.globs = AGENTCTL_TRY(look_up_globs(files.hide, places, bounds, resolver, watch));
  leave_out_certificates(files, facts);
  leave_out_settings_without_login(files, facts);
  facts.protected_globs =
      AGENTCTL_TRY(look_up_globs(files.protect, places, {bounds.deadline_usec, kMostProtected}, resolver));
  look_at_git(files, facts, resolver);
  return {};
}

}  // namespace agentctl::bwrap
