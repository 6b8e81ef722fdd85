// SPDX-License-Identifier: Apache-2.0
#include "bwrap/file_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "bwrap/glob_lookup.h"
#include "bwrap/hide_rules.h"
#include "bwrap/near_name.h"
#include "bwrap/path_resolution.h"
#include "bwrap/project_check.h"
#include "bwrap/rule_entry.h"

namespace agentctl::bwrap {
namespace {

using policy::Entries;
using policy::Entry;
using policy::FileSettings;

const std::vector<Entries FileSettings::*> kLists = {&FileSettings::read_only, &FileSettings::read_write,
                                                     &FileSettings::copy, &FileSettings::hide, &FileSettings::protect};

class RuleReader {
 public:
  RuleReader(const FileSettings& files, const HostFacts& facts, Layout& layout, std::vector<std::string>& warnings)
      : files_(files), facts_(facts), layout_(layout), warnings_(warnings) {
    for (const Entry& entry : files.optional) optional_.insert(expand_entry(entry, facts_));
  }

  // What is wrong with one entry does not keep the others from being looked at: all is told at once.
  Result<void> read(const FileSettings& files) {
    for (const Entry& entry : files.read_only) collect(add_grant(entry, Access::read_only));
    for (const Entry& entry : files.read_write) collect(add_grant(entry, Access::read_write));
    for (const Entry& entry : files.copy) collect(add_copy(entry));
    HideRules hide(files, facts_, layout_, warnings_);
    for (const Entry& entry : files.hide) collect(hide.add(entry));
    hide.tell();
    for (const Entry& entry : files.protect) collect(add_protect(entry));
    if (faults_.empty()) return {};
    Error all = faults_.front();
    for (std::size_t at = 1; at < faults_.size(); ++at) {
      if (faults_[at].kind == ErrorKind::policy) all.kind = ErrorKind::policy;
      all.message += cat("\n", faults_[at].message);
      if (all.hint.empty()) all.hint = faults_[at].hint;
    }
    return all;
  }

 private:
  void collect(Result<void> added) {
    if (!added) faults_.push_back(std::move(added).error());
  }

  // Canonical where it is there.
  [[nodiscard]] const std::string& find_state_dir() const {
    const auto fact = facts_.paths.find(facts_.state_dir);
    const bool is_there = fact != facts_.paths.end() && fact->second.kind != PathKind::absent;
    return is_there ? fact->second.canonical.str() : facts_.state_dir;
  }

  // The fact, or nothing for an optional entry that is missing.
  Result<const PathFact*> granted_fact(const Entry& entry) const {
    const PathFact* fact = AGENTCTL_TRY(find_entry_fact(entry, facts_));
    if (fact->kind == PathKind::file || fact->kind == PathKind::directory) return fact;
    if (fact->kind != PathKind::absent) return refuse_value(entry, "is neither a file nor a directory");
    if (optional_.contains(expand_entry(entry, facts_))) return static_cast<const PathFact*>(nullptr);
    if (!fact->obstacle.empty()) {
      return refuse_entry(entry, cat("cannot be looked at: ", fact->obstacle),
                          "bring it back, or add it to optional in [files]");
    }
    if (!fact->links.empty()) {
      return refuse_value(entry, cat("not found: the link '", printable(fact->links.back().path.str()), "' leads to '",
                                     printable(fact->links.back().target), "', which is not there"));
    }
    return refuse_value(entry, cat("not found", did_you_mean(entry, facts_)),
                        "make it, or add it to optional in [files]");
  }

  void want(const Entry& entry, const PathFact& fact, Want wanted) {
    layout_.want_links(fact, policy::to_string(entry.origin));
    layout_.want(std::move(wanted));
  }

  // The session sees it with the directory in which it is; that it is named keeps it from being hidden. Nothing else
  // but an opening brings a socket in.
  Result<void> allow_socket(const Entry& entry, const PathFact& fact) const {
    const std::string& path = fact.canonical.str();
    const auto shows = [&](const Entry& other) {
      const auto shown = facts_.paths.find(expand_entry(other, facts_));
      return shown != facts_.paths.end() && shown->second.kind == PathKind::directory &&
             starts_with_path(path, shown->second.canonical.str());
    };
    if (starts_with_path(path, facts_.project.canonical.str())) return {};
    for (const Entries* grants : {&files_.read_only, &files_.read_write}) {
      if (std::any_of(grants->begin(), grants->end(), shows)) return {};
    }
    return refuse_value(entry, "is a socket, and no other entry shows the directory in which it is");
  }

  Result<void> add_grant(const Entry& entry, Access access) {
    const bool writable = access == Access::read_write;
    if (const PathFact* named = AGENTCTL_TRY(find_entry_fact(entry, facts_));
        writable && named->kind == PathKind::socket)
      return allow_socket(entry, *named);
    const PathFact* fact = AGENTCTL_TRY(granted_fact(entry));
    if (fact != nullptr && !facts_.state_dir.empty() && starts_with_path(fact->canonical.str(), find_state_dir())) {
      return refuse_value(entry, "must not come in: agentctl keeps the logs and homes of other sessions there");
    }
    if (fact == nullptr) {
      const std::string& obstacle = AGENTCTL_TRY(find_entry_fact(entry, facts_))->obstacle;
      if (!obstacle.empty()) {
        warnings_.push_back(cat("files: ", printable(entry.text), " is left out: ", obstacle));
      } else if (writable)
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
    if (fact->kind != PathKind::file) return refuse_value(entry, "must be a file to be copied", "name the files in it");
    Want wanted = bind_want(*fact, Access::read_write, Rank::copy, policy::to_string(entry.origin));
    wanted.operation.kind = OperationKind::copy;
    want(entry, *fact, std::move(wanted));
    return {};
  }

  Result<void> add_protect(const Entry& entry) {
    if (!has_glob(entry.text)) return protect(entry, *AGENTCTL_TRY(find_entry_fact(entry, facts_)));
    AGENTCTL_TRY_VOID(check_entry_text(entry));
    const auto found = facts_.protected_globs.find(entry.text);
    if (found == facts_.protected_globs.end()) return refuse_entry(entry, "was not looked for");
    for (const std::string& directory : found->second.left_out) {
      warnings_.push_back(cat("files: '", printable(entry.text), "' was not looked for in ", directory));
    }
    for (const PathFact& match : found->second.matches) {
      if (check_entry_place(entry, match)) AGENTCTL_TRY_VOID(protect(entry, match));
    }
    return {};
  }

  Result<void> protect(const Entry& entry, const PathFact& fact) {
    if (fact.kind == PathKind::absent) return {};
    for (const Link& link : fact.links) {
      if (!starts_with_path(link.path.str(), facts_.project.canonical.str())) continue;
      warnings_.push_back(cat("files: '", printable(entry.text), "' is protected only at '",
                              printable(fact.canonical.str()), "': the agent may replace the link '",
                              printable(link.path.str()), "'"));
    }
    Want wanted = bind_want(fact, Access::read_only, Rank::protect, policy::to_string(entry.origin));
    wanted.grants = false;
    layout_.want(std::move(wanted));
    return {};
  }

  const FileSettings& files_;
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
      const bool may_be_glob = list == &FileSettings::hide || list == &FileSettings::protect;
      if (!may_be_glob || !has_glob(entry.text)) paths.push_back(expand_path(entry.text, home, project));
    }
  }
  for (const policy::Removal& removal : files.removals) {
    if (removal.list == "hide" && !has_glob(removal.entry.text)) {
      paths.push_back(expand_path(removal.entry.text, home, project));
    }
  }
  return paths;
}

Result<void> add_file_rules(const FileSettings& files, const HostFacts& facts, Layout& layout,
                            std::vector<std::string>& warnings) {
  warn_of_missing_entries(files, facts, warnings);
  return RuleReader(files, facts, layout, warnings).read(files);
}

}  // namespace agentctl::bwrap
