// SPDX-License-Identifier: Apache-2.0
#include "policy/env_name.h"

namespace agentctl::policy {

bool is_env_name(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name) {
    const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
    if (!is_letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

bool matches_env_name(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

bool is_loader_variable(std::string_view name) { return name.starts_with("LD_") || name == "GLIBC_TUNABLES"; }

}  // namespace agentctl::policy
