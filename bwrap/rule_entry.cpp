// SPDX-License-Identifier: Apache-2.0
#include "bwrap/rule_entry.h"

#include <utility>

#include "base/text.h"
#include "bwrap/system_layout.h"

namespace agentctl::bwrap {
namespace {

// /proc and /dev are made anew, /sys would show the machine, /run/agentctl is ours.
constexpr std::string_view kNoPlaceForRules[] = {"/proc", "/dev", "/sys", "/run/agentctl"};

}  // namespace

Error refuse_entry(const policy::Entry& entry, std::string_view why, std::string hint) {
  return make_error(ErrorKind::policy, cat(policy::to_string(entry.origin), ": '", printable(entry.text), "' ", why),
                    std::move(hint));
}

Error refuse_value(const policy::Entry& entry, std::string_view why, std::string hint) {
  Error error = refuse_entry(entry, why, std::move(hint));
  if (entry.origin.source.starts_with("--")) error.kind = ErrorKind::usage;
  return error;
}

std::string expand_entry(const policy::Entry& entry, const HostFacts& facts) {
  return expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str());
}

Result<void> check_entry_text(const policy::Entry& entry) {
  bool named = false;
  bool turns_back = false;
  for_each_part(entry.text, '/', [&](std::string_view part) {
    turns_back = turns_back || (part == ".." && named);
    named = named || (!part.empty() && part != "." && part != "..");
  });
  if (turns_back) return refuse_value(entry, "must not hold '..' after a name");
  return {};
}

Result<void> check_entry_place(const policy::Entry& entry, const PathFact& fact) {
  const std::string& end = fact.canonical.str();
  if (end == "/") return refuse_entry(entry, "is the whole root", "name the directories that are needed");
  for (const std::string_view place : kNoPlaceForRules) {
    if (starts_with_path(end, place)) return refuse_entry(entry, cat("must not lie in '", place, "'"));
  }
  return {};
}

Result<const PathFact*> find_entry_fact(const policy::Entry& entry, const HostFacts& facts) {
  AGENTCTL_TRY_VOID(check_entry_text(entry));
  const PathFact* fact = AGENTCTL_TRY(find_fact(facts, expand_entry(entry, facts)));
  AGENTCTL_TRY_VOID(check_entry_place(entry, *fact));
  return fact;
}

}  // namespace agentctl::bwrap
