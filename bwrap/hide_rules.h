// SPDX-License-Identifier: Apache-2.0
// The list `hide` of the policy, put into a Layout. Pure. What git tracks is not hidden without a word, since the next
// commit inside would empty it: what the user's own entries name is refused; what the built-in default's match, and git
// has the very content of, stays visible, and that is told. An entry for one path, written in the same file as a glob
// or by the user against a built-in one, shows what the glob would hide.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "bwrap/host_facts.h"
#include "bwrap/layout.h"
#include "policy/policy.h"

namespace agentctl::bwrap {

class HideRules {
 public:
  HideRules(const policy::FileSettings& files, const HostFacts& facts, Layout& layout,
            std::vector<std::string>& warnings);

  // An entry of `hide`. What is absent is hidden as soon as it is there.
  [[nodiscard]] Result<void> add(const policy::Entry& entry);
  // Last: warns of what stays visible.
  void tell();

 private:
  [[nodiscard]] Result<void> add_glob(const policy::Entry& entry);
  [[nodiscard]] Result<void> hide(const policy::Entry& entry, const PathFact& fact);
  // What is shown by default in a hidden directory goes with it; what another rule shows there stays, and is told where
  // it was written elsewhere. Refuses what no program runs without.
  [[nodiscard]] Result<void> close(const policy::Entry& entry, const std::string& directory);
  // Of what the user names, nothing that is missing, or may come to match, comes to lie elsewhere for the agent.
  void hold_names(const policy::Entry& entry, const PathFact& fact);
  void note_shown_by_name(const policy::Entry& glob);
  void note_left_open(const policy::Entry& entry, const std::string& directory, const policy::Entry& grant);
  [[nodiscard]] Result<void> hide_other_names(const policy::Entry& entry, const PathFact& fact);
  [[nodiscard]] Result<bool> must_stay_visible(const policy::Entry& entry, const PathFact& fact);
  [[nodiscard]] bool is_shown_by_name(const policy::Entry& glob, const PathFact& match) const;
  [[nodiscard]] bool leads_out(const policy::Entry& glob, const PathFact& match) const;
  [[nodiscard]] std::string name_of(const std::string& path) const;  // short, where it is in the project

  const policy::FileSettings& files_;
  const HostFacts& facts_;
  Layout& layout_;
  std::vector<std::string>& warnings_;
  std::multimap<std::string, std::string> shown_by_name_;  // canonical path, source of the entry
  std::vector<std::string> tracked_;                       // that stay visible
  std::vector<std::string> has_more_names_;
};

}  // namespace agentctl::bwrap
