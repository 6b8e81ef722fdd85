// SPDX-License-Identifier: Apache-2.0
#include "units/unit_name.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::units {

std::string scope_name(std::string_view session_id) { return cat("app-agentctl-", session_id, ".scope"); }

std::string service_name(std::string_view session_id) { return cat("agentctl-session-", session_id, ".service"); }

bool is_session_scope(std::string_view cgroup_path) {
  constexpr std::string_view kBefore = "/app-agentctl-";
  constexpr std::string_view kAfter = ".scope";
  constexpr std::size_t kIdSize = 8;
  if (cgroup_path.size() < kBefore.size() + kIdSize + kAfter.size() || !cgroup_path.ends_with(kAfter)) return false;
  cgroup_path.remove_suffix(kAfter.size());
  const std::size_t at = cgroup_path.size() - kIdSize;
  return is_session_id(cgroup_path.substr(at)) && cgroup_path.substr(0, at).ends_with(kBefore);
}

bool is_session_id(std::string_view text) {
  return text.size() == 8 && std::all_of(text.begin(), text.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

}  // namespace agentctl::units
