// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/path_resolution.h"
#include "bwrap/project_check.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

using policy::Entries;
using policy::Entry;
using policy::FileSettings;

// /proc and /dev are made anew, /sys would show the machine, /run/agentctl is ours.
const std::vector<std::string> kNoPlaceForRules = {"/proc", "/dev", "/sys", "/run/agentctl"};

const std::vector<Entries FileSettings::*> kLists = {&FileSettings::read_only, &FileSettings::read_write,
                                                     &FileSettings::copy, &FileSettings::hide, &FileSettings::protect};

Error refuse(const Entry& entry, std::string_view why, std::string hint = {}) {
  return make_error(ErrorKind::policy, cat(policy::to_string(entry.origin), ": '", printable(entry.text), "' ", why),
                    std::move(hint));
}

// "a/../b": what it means depends on whether "a" is a link.
bool climbs_out_of_a_name(const std::string& text) {
  bool named = false;
  for (const std::string& part : split(text, '/')) {
    if (part == ".." && named) return true;
    named = named || (!part.empty() && part != "." && part != "..");
  }
  return false;
}

class RuleReader {
 public:
  RuleReader(const FileSettings& files, const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings)
      : facts_(facts), layout_(layout), warnings_(warnings) {
    for (const Entry& entry : files.optional) optional_.insert(expand(entry));
  }

  // What is wrong with one entry does not keep the others from being looked at: all is told at once.
  Result<void> read(const FileSettings& files) {
    for (const Entry& entry : files.read_only) collect(add_grant(entry, Access::read_only));
    for (const Entry& entry : files.read_write) collect(add_grant(entry, Access::read_write));
    for (const Entry& entry : files.copy) collect(add_copy(entry));
    for (const Entry& entry : files.hide) collect(add_hide(entry));
    for (const Entry& entry : files.protect) collect(add_protect(entry));
    if (faults_.empty()) return {};
    Error all = faults_.front();
    for (std::size_t at = 1; at < faults_.size(); ++at) {
      all.message += cat("\n", faults_[at].message);
      if (all.hint.empty()) all.hint = faults_[at].hint;
    }
    return all;
  }

 private:
  void collect(Result<void> added) {
    if (!added) faults_.push_back(std::move(added).error());
  }

  std::string expand(const Entry& entry) const {
    return expand_path(entry.text, facts_.home.path.str(), facts_.project.canonical.str());
  }

  Result<const PathFact*> fact_of(const Entry& entry) const {
    if (climbs_out_of_a_name(entry.text)) return refuse(entry, "must not hold '..' after a name");
    const PathFact* fact = AGENTCTL_TRY(find_fact(facts_, expand(entry)));
    AGENTCTL_TRY_VOID(check_place(entry, *fact));
    return fact;
  }

  static Result<void> check_place(const Entry& entry, const PathFact& fact) {
    const std::string& end = fact.canonical.str();
    if (end == "/") return refuse(entry, "is the whole root", "name the directories that are needed");
    for (const std::string& place : kNoPlaceForRules) {
      if (starts_with_path(end, place)) return refuse(entry, cat("must not lie in '", place, "'"));
    }
    return {};
  }

  // The fact, or nothing for an optional entry that is missing.
  Result<const PathFact*> granted_fact(const Entry& entry) const {
    const PathFact* fact = AGENTCTL_TRY(fact_of(entry));
    if (fact->kind == PathKind::file || fact->kind == PathKind::directory) return fact;
    if (fact->kind != PathKind::absent) return refuse(entry, "is neither a file nor a directory");
    if (optional_.contains(expand(entry))) return static_cast<const PathFact*>(nullptr);
    if (!fact->links.empty()) {
      return refuse(entry, cat("not found: the link '", printable(fact->links.back().path.str()), "' leads to '",
                               printable(fact->links.back().target), "', which is not there"));
    }
    return refuse(entry, "not found", "make it, or add it to optional in [files]");
  }

  void want(const Entry& entry, const PathFact& fact, Want wanted) {
    layout_.want_links(fact, policy::to_string(entry.origin));
    layout_.want(std::move(wanted));
  }

  Result<void> add_grant(const Entry& entry, Access access) {
    const PathFact* fact = AGENTCTL_TRY(granted_fact(entry));
    const bool writable = access == Access::read_write;
    if (fact == nullptr) {
      if (writable)
        warnings_.push_back(cat("files: ", printable(entry.text), " is missing: what is written there is lost"));
      return {};
    }
    if (writable) AGENTCTL_TRY_VOID(check_writable(entry, *fact, facts_));
    const Rank rank = writable ? Rank::read_write : Rank::read_only;
    Want wanted = bind_want(*fact, access, rank, policy::to_string(entry.origin));
    wanted.operation.identity = fact->identity;
    want(entry, *fact, std::move(wanted));
    return {};
  }

  Result<void> add_copy(const Entry& entry) {
    const PathFact* fact = AGENTCTL_TRY(granted_fact(entry));
    if (fact == nullptr) return {};
    if (fact->kind != PathKind::file) return refuse(entry, "must be a file to be copied", "name the files in it");
    Want wanted = bind_want(*fact, Access::read_write, Rank::copy, policy::to_string(entry.origin));
    wanted.operation.kind = OperationKind::copy;
    want(entry, *fact, std::move(wanted));
    return {};
  }

  static Result<void> check_plain(const Entry& entry) {
    if (!has_glob(entry.text)) return {};
    return refuse(entry, "must be a plain path: globs in protect are not supported by this version");
  }

  // What is absent is hidden as soon as it is there.
  Result<void> add_hide(const Entry& entry) {
    if (has_glob(entry.text)) return add_hide_glob(entry);
    return hide(entry, *AGENTCTL_TRY(fact_of(entry)));
  }

  Result<void> add_hide_glob(const Entry& entry) {
    if (climbs_out_of_a_name(entry.text)) return refuse(entry, "must not hold '..' after a name");
    const auto found = facts_.globs.find(entry.text);
    if (found == facts_.globs.end()) return refuse(entry, "was not looked for");
    for (const std::string& directory : found->second.left_out) {
      warnings_.push_back(cat("files: '", printable(entry.text), "' was not looked for in ", directory));
    }
    for (const Collapsed& directory : found->second.collapsed) {
      warnings_.push_back(cat("files: all ", directory.hits, " files in '", printable(directory.path), "' match '",
                              printable(entry.text), "': it is hidden as a whole"));
    }
    for (const PathFact& match : found->second.matches) {
      // A link to /dev/null leads to nothing of the host's: what stands there inside is made anew.
      if (!check_place(entry, match)) continue;
      AGENTCTL_TRY_VOID(hide(entry, match));
    }
    return {};
  }

  Result<void> hide(const Entry& entry, const PathFact& fact) {
    const std::string& end = fact.canonical.str();
    if (end == facts_.project.canonical.str()) return refuse(entry, "is the project, which cannot be hidden");
    layout_.hide(fact, policy::to_string(entry.origin));
    return {};
  }

  Result<void> add_protect(const Entry& entry) {
    AGENTCTL_TRY_VOID(check_plain(entry));
    const PathFact* fact = AGENTCTL_TRY(fact_of(entry));
    if (fact->kind == PathKind::absent) return {};
    for (const Link& link : fact->links) {
      if (!starts_with_path(link.path.str(), facts_.project.canonical.str())) continue;
      warnings_.push_back(cat("files: '", printable(entry.text), "' is protected only at '",
                              printable(fact->canonical.str()), "': the agent may replace the link '",
                              printable(link.path.str()), "'"));
    }
    Want wanted = bind_want(*fact, Access::read_only, Rank::protect, policy::to_string(entry.origin));
    wanted.grants = false;
    layout_.want(std::move(wanted));
    return {};
  }

  const HostFacts& facts_;
  Layout& layout_;
  std::vector<std::string>& warnings_;
  std::set<std::string> optional_;
  std::vector<Error> faults_;
};

}  // namespace

std::vector<std::string> named_paths(const FileSettings& files, const std::string& home, const std::string& project) {
  std::vector<std::string> paths;
  for (const auto list : kLists) {
    for (const Entry& entry : files.*list) {
      if (list != &FileSettings::hide || !has_glob(entry.text)) paths.push_back(expand_path(entry.text, home, project));
    }
  }
  return paths;
}

Result<void> add_file_rules(const FileSettings& files, const HostFacts& facts, Layout& layout,
                            std::vector<std::string>& warnings) {
  return RuleReader(files, facts, layout, warnings).read(files);
}

}  // namespace agentctl::bwrap
