// SPDX-License-Identifier: Apache-2.0
#include "manager/completion/candidates.h"

#include <unistd.h>

#include <map>
#include <string>
#include <string_view>

#include "base/text.h"
#include "manager/kept_receipts.h"
#include "manager/session_glance.h"
#include "manager/session_name.h"
#include "manager/state_dirs.h"
#include "policy/env_name.h"
#include "policy/profiles.h"

namespace agentctl::manager {
namespace {

using Names = std::map<std::string, std::string>;  // and what is said of each

void add_ended_sessions(Names& names) {
  const auto state = state_dir_path();
  if (!state) return;
  const auto receipts = read_receipts(*state + "/receipts");
  if (!receipts) return;
  for (const KeptReceipt& receipt : *receipts) {
    const std::string& name = receipt.value["name"].text;
    if (is_session_name(name)) names.emplace(name, cat("ended; ", printable(receipt.value["project"].text)));
  }
}

void add_profiles(Names& names) {
  const auto config = config_dir_path();
  for (const std::string& name : policy::profile_names(config ? *config : std::string())) names.emplace(name, "");
}

void add_variables(Names& names) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('='));
    if (policy::is_env_name(name)) names.emplace(name, "");
  }
}

}  // namespace

std::vector<Candidate> look_up(Expectation::Kind kind) {
  using Kind = Expectation::Kind;
  Names names;
  if (kind == Kind::running_sessions || kind == Kind::known_sessions) {
    for (const RecordHead& head : glance_at_sessions()) names.emplace(head.name, printable(head.project));
  }
  if (kind == Kind::known_sessions) add_ended_sessions(names);
  if (kind == Kind::profiles) add_profiles(names);
  if (kind == Kind::variables) add_variables(names);
  std::vector<Candidate> candidates;
  for (const auto& [name, help] : names) candidates.push_back({name, help});
  return candidates;
}

}  // namespace agentctl::manager
