// SPDX-License-Identifier: Apache-2.0
#include "bwrap/path_remarks.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/default_globs.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/path_resolution.h"
#include "bwrap/registry_login.h"
#include "bwrap/rule_entry.h"
#include "policy/glob.h"

namespace agentctl::bwrap {
namespace {

bool is_shown(const PathAnswer& answer) {
  return answer.visibility == Visibility::read_only || answer.visibility == Visibility::writable ||
         answer.visibility == Visibility::copy;
}

bool speaks_of(const policy::Entry& entry, const HostFacts& facts, const std::string& path) {
  const std::string named = expand_entry(entry, facts);
  if (!has_glob(entry.text)) return starts_with_path(path, named);
  const policy::Glob glob(named);
  return starts_with_path(path, glob.base()) && glob.matches(std::string_view(path).substr(glob.base().size()));
}

// Where what the removal took away would have made another answer.
bool matters(const policy::Removal& removal, const PathAnswer& answer) {
  if (removal.list == "hide") return is_shown(answer);
  if (removal.list == "protect") return answer.visibility == Visibility::writable;
  return removal.list != "optional" && answer.visibility != Visibility::hidden;
}

// The built-in glob that the name fits, if the user has not written one of the same text.
const policy::Entry* find_default(const policy::FileSettings& files, const HostFacts& facts, std::string_view name) {
  const std::string lower = ascii_lower(name);
  const auto fits = [&](const policy::Entry& entry) {
    if (!policy::is_built_in(entry.origin) || !has_glob(entry.text)) return false;
    const policy::Glob glob(expand_entry(entry, facts));
    return policy::matches_name(ascii_lower(glob.name_at_any_depth()), lower);
  };
  const auto found = std::find_if(files.hide.begin(), files.hide.end(), fits);
  return found == files.hide.end() ? nullptr : &*found;
}

std::string why_not_hidden(const policy::Entry& glob, const HostFacts& facts, const std::string& path) {
  const std::string shown = cat("'", printable(glob.text), "' of the built-in default ");
  const std::string remedy = cat("; to hide it: --hide ", printable(shell_quote(path)), ", or '", printable(glob.text),
                                 "' in hide of a policy of yours, which then holds everywhere in the project");
  const auto tracked = facts.tracked.find(path);
  if (tracked != facts.tracked.end() && tracked->second.state == TrackedFact::State::unchanged) {
    return shown + "does not hide it, since git tracks it and has its content anyway";
  }
  const std::string below = path.substr(facts.project.canonical.str().size() + 1);
  const std::vector<std::string> parts = split(below, '/');
  for (std::size_t at = 0; at + 1 < parts.size(); ++at) {
    if (is_left_to_tools(parts[at])) return cat(shown, "does not look in '", parts[at], "'", remedy);
  }
  if (parts.size() > kDefaultGlobDepth + 1) {
    return cat(shown, "looks no more than ", kDefaultGlobDepth, " directories deep", remedy);
  }
  if (is_example(ascii_lower(parts.back()))) return shown + "takes a file of such a name for an example";
  if (may_hold_registry_login(ascii_lower(path))) return shown + "hides it only where a login is written in it";
  return {};
}

}  // namespace

std::vector<std::string> path_remarks(const policy::FileSettings& files, const HostFacts& facts,
                                      const std::string& path, const PathAnswer& answer) {
  std::vector<std::string> remarks;
  for (const policy::Removal& removal : files.removals) {
    if (!matters(removal, answer)) continue;
    if (!speaks_of(removal.entry, facts, path) && !speaks_of(removal.entry, facts, answer.end)) continue;
    remarks.push_back(cat("'", printable(removal.entry.text), "' was taken out of ", removal.list, " by ",
                          policy::to_string(removal.entry.origin)));
  }
  const std::string& project = facts.project.canonical.str();
  const std::string& end = answer.end;
  if (!is_shown(answer) || end.size() <= project.size() || !starts_with_path(end, project)) return remarks;
  const policy::Entry* glob = find_default(files, facts, std::string_view(end).substr(end.rfind('/') + 1));
  std::string why = glob == nullptr ? std::string() : why_not_hidden(*glob, facts, end);
  if (!why.empty()) remarks.push_back(std::move(why));
  return remarks;
}

}  // namespace agentctl::bwrap
