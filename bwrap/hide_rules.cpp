// SPDX-License-Identifier: Apache-2.0
#include "bwrap/hide_rules.h"

#include <algorithm>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/hidden_name.h"
#include "bwrap/path_resolution.h"
#include "bwrap/rule_entry.h"

namespace agentctl::bwrap {
namespace {

using policy::Entry;

constexpr std::size_t kMostNamesTold = 5;
// The one of root_entry_names() without which programs run.
constexpr std::string_view kOptional = "/opt";
constexpr std::string_view kDefault = "built-in default";

}  // namespace

HideRules::HideRules(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
                     std::vector<std::string>& warnings)
    : files_(files), facts_(facts), layout_(layout), warnings_(warnings) {
  for (const policy::Entries* list : {&files.read_only, &files.read_write, &files.copy}) {
    for (const Entry& entry : *list) {
      const auto fact = facts.paths.find(expand_entry(entry, facts));
      if (policy::is_built_in(entry.origin) || fact == facts.paths.end()) continue;
      shown_by_name_.emplace(fact->second.canonical.str(), entry.origin.source);
    }
  }
}

Result<void> HideRules::add(const Entry& entry) {
  if (has_glob(entry.text)) return add_glob(entry);
  return hide(entry, *AGENTCTL_TRY(find_entry_fact(entry, facts_)));
}

Result<void> HideRules::add_glob(const Entry& entry) {
  AGENTCTL_TRY_VOID(check_entry_text(entry));
  const auto found = facts_.globs.find(entry.text);
  if (found == facts_.globs.end()) return refuse_entry(entry, "was not looked for");
  for (const std::string& directory : found->second.left_out) {
    warnings_.push_back(cat("files: '", printable(entry.text), "' was not looked for in ", directory));
  }
  for (const Collapsed& directory : found->second.collapsed) {
    warnings_.push_back(cat("files: all ", directory.hits, " files in '", printable(directory.path), "' match '",
                            printable(entry.text), "': it is hidden as a whole"));
  }
  if (!policy::is_built_in(entry.origin)) {
    layout_.hold(found->second.begins.str(), policy::to_string(entry.origin));
    note_shown_by_name(entry);
  }
  for (const PathFact& match : found->second.matches) {
    // A link to /dev/null leads to nothing of the host's: what stands there inside is made anew.
    if (!check_entry_place(entry, match) || is_shown_by_name(entry, match) || leads_out(entry, match)) continue;
    AGENTCTL_TRY_VOID(hide(entry, match));
  }
  return {};
}

bool HideRules::is_shown_by_name(const Entry& glob, const PathFact& match) const {
  if (match.kind == PathKind::absent) return false;
  const auto [first, last] = shown_by_name_.equal_range(match.canonical.str());
  return std::any_of(first, last, [&](const auto& shown) {
    return policy::is_built_in(glob.origin) || shown.second == glob.origin.source;
  });
}

// Nobody asked for what a default matches: a link in the project, which an agent may have made, must not take away a
// program or the certificates. Where it leads to is shown or not by a rule of its own.
bool HideRules::leads_out(const Entry& glob, const PathFact& match) const {
  if (!policy::is_built_in(glob.origin) || match.links.empty()) return false;
  const std::string& end = match.canonical.str();
  const std::string& project = facts_.project.canonical.str();
  return !starts_with_path(end, project) || starts_with_path(end, join_path(project, ".git"));
}

Result<void> HideRules::hide(const Entry& entry, const PathFact& fact) {
  if (fact.canonical == facts_.project.canonical) {
    return refuse_entry(entry, "is the project, which cannot be hidden");
  }
  if (AGENTCTL_TRY(must_stay_visible(entry, fact))) return {};
  if (fact.kind == PathKind::directory && !policy::is_built_in(entry.origin)) {
    AGENTCTL_TRY_VOID(close(entry, fact.canonical.str()));
  }
  layout_.hide(fact, policy::to_string(entry.origin));
  if (!policy::is_built_in(entry.origin)) hold_names(entry, fact);
  return hide_other_names(entry, fact);
}

void HideRules::hold_names(const Entry& entry, const PathFact& fact) {
  for (const std::string& directory : directories_of_names(fact)) {
    layout_.hold(directory, policy::to_string(entry.origin));
  }
}

void HideRules::note_shown_by_name(const Entry& glob) {
  for (const auto& [path, source] : shown_by_name_) {
    if (source == glob.origin.source && !path.empty()) layout_.show_by_name({path, rule_of_glob(glob)});
  }
}

Result<void> HideRules::close(const Entry& entry, const std::string& directory) {
  for (const PathFact& root : facts_.root_entries) {
    const std::string& place = root.canonical.str();
    if (root.kind != PathKind::directory || place == kOptional || !starts_with_path(place, directory)) continue;
    const std::string need = place == directory ? "is a place" : cat("holds '", printable(place), "',");
    return refuse_entry(entry, cat(need, " without which no program runs"), "hide what matters in it");
  }
  layout_.close(directory);
  for (const policy::Entries* list : {&files_.read_only, &files_.read_write, &files_.copy}) {
    for (const Entry& grant : *list) note_left_open(entry, directory, grant);
  }
  return {};
}

void HideRules::note_left_open(const Entry& entry, const std::string& directory, const Entry& grant) {
  if (grant.origin.source == entry.origin.source || grant.origin.source == kDefault) return;
  const auto fact = facts_.paths.find(expand_entry(grant, facts_));
  if (fact == facts_.paths.end() || fact->second.kind == PathKind::absent) return;
  const std::string& shown = fact->second.canonical.str();
  if (shown == directory || !starts_with_path(shown, directory)) return;
  warnings_.push_back(cat("files: '", printable(entry.text), "' is hidden but for '", printable(shown), "', which ",
                          policy::to_string(grant.origin), " shows"));
}

Result<bool> HideRules::must_stay_visible(const Entry& entry, const PathFact& fact) {
  const auto found = facts_.tracked.find(fact.canonical.str());
  if (found == facts_.tracked.end()) return false;
  const TrackedFact& tracked = found->second;
  const std::string name = name_of(tracked.file);
  if (tracked.state == TrackedFact::State::unknown) {
    return refuse_entry(
        entry, cat("hides '", name, "', and nobody can tell whether git tracks it: ", tracked.why),
        tracked.hint.empty() ? "'git status' tells more; or take the entry out with '!'" : tracked.hint);
  }
  const bool is_default = policy::is_built_in(entry.origin);
  if (is_default && tracked.state == TrackedFact::State::unchanged) {
    tracked_.push_back(name);
    return true;
  }
  const std::string quoted = printable(shell_quote(name));
  const std::string untrack = cat("'git rm --cached -r -- ", quoted, "' to track it no more");
  const std::string hint = is_default ? cat("--rw ", quoted, " to show it, commit it, or ", untrack)
                           : has_glob(entry.text)
                               ? cat("name it in read-only in the same file to show it, or ", untrack)
                               : cat("take the entry out, or ", untrack);
  return refuse_entry(entry,
                      cat("hides '", name, "', which git tracks", is_default ? " with another content" : "",
                          ": the next commit inside would empty it"),
                      hint);
}

Result<void> HideRules::hide_other_names(const Entry& entry, const PathFact& fact) {
  const auto others = facts_.other_names.find(fact.canonical.str());
  if (others == facts_.other_names.end()) return {};
  for (const PathFact& name : others->second.found) {
    if (!AGENTCTL_TRY(must_stay_visible(entry, name))) {
      layout_.hide(name, policy::to_string(entry.origin));
    }
  }
  if (others->second.found.size() + 1 < others->second.count) {
    has_more_names_.push_back(cat(name_of(fact.canonical.str()), " (", others->second.count, " names)"));
  }
  return {};
}

std::string HideRules::name_of(const std::string& path) const {
  const std::string& project = facts_.project.canonical.str();
  const bool is_inside = starts_with_path(path, project) && path.size() > project.size();
  return printable(is_inside ? path.substr(project.size() + 1) : path);
}

void HideRules::tell() {
  const auto tell_some = [&](std::string_view what, std::vector<std::string>& names) {
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (!names.empty()) warnings_.push_back(cat("files: ", what, ": ", join_some(names, ", ", kMostNamesTold)));
  };
  tell_some("visible, since git tracks them and has their content anyway", tracked_);
  tell_some("hidden, but a hard link shows them where the session sees one of their other names", has_more_names_);
}

}  // namespace agentctl::bwrap
