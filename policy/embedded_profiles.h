// SPDX-License-Identifier: Apache-2.0
// The texts of policy/profiles/*.toml, compiled in by policy/embed_profiles.cmake. profiles.h gives them meaning.
#pragma once

#include <span>
#include <string_view>

namespace agentctl::policy {

struct EmbeddedProfile {
  std::string_view name;  // "claude"
  std::string_view text;
};
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace agentctl::policy
