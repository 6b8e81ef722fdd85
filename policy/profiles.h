// SPDX-License-Identifier: Apache-2.0
// The policies we ship (policy/profiles/*.toml), compiled in: the built-in default and one profile per known agent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/policy.h"

namespace agentctl::policy {

[[nodiscard]] Policy built_in_default();
// A user's own ~/.config/agentctl/profiles/NAME.toml (config_dir = ~/.config/agentctl) goes before ours.
// Unknown: an Error of kind usage that lists the names there are.
[[nodiscard]] Result<Policy> load_profile(std::string_view name, const std::string& config_dir);
// The same as text, and where it is from: a path, or "built-in".
struct ProfileText {
  std::string text;
  std::string source;
};
[[nodiscard]] Result<ProfileText> load_profile_text(std::string_view name, const std::string& config_dir);
[[nodiscard]] bool is_profile_name(std::string_view name);  // a name is never a path
[[nodiscard]] std::string profile_path(std::string_view name, const std::string& config_dir);
[[nodiscard]] std::vector<std::string> profile_names(const std::string& config_dir);
// "claude" for "/usr/local/bin/claude", "shell" for sh, bash, zsh, fish, dash; "default" for what has no profile. With
// a config_dir the user's own profiles count too, so that "aider" finds profiles/aider.toml.
[[nodiscard]] std::string profile_for_command(std::string_view command, const std::string& config_dir = {});

}  // namespace agentctl::policy
