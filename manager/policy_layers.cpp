// SPDX-License-Identifier: Apache-2.0
#include "manager/policy_layers.h"

#include "base/file.h"
#include "base/text.h"
#include "bwrap/machine_size.h"
#include "manager/state_dirs.h"
#include "policy/entry.h"
#include "policy/limit_setting.h"
#include "policy/policy_check.h"
#include "policy/policy_merge.h"
#include "policy/policy_reader.h"
#include "policy/profiles.h"

namespace agentctl::manager {
namespace {

constexpr const char* kSystemPolicy = "/etc/agentctl/policy.toml";
constexpr const char* kProjectPolicy = "/.agentctl.toml";

using policy::Diagnostic;
using policy::Origin;

void add_entries(policy::Entries& entries, const std::vector<std::string>& texts, const char* option,
                 policy::Globs globs, std::vector<Diagnostic>& mistakes) {
  for (const std::string& text : texts) {
    if (const auto sound = policy::check_path_entry(text, globs); !sound) {
      mistakes.push_back({Origin{option}, cat("'", printable(text), "' ", sound.error().message), ""});
    }
    entries.push_back({text, Origin{option}});
  }
}

void add_environment(policy::EnvSettings& env, const std::vector<std::string>& texts,
                     std::vector<Diagnostic>& mistakes) {
  const Origin origin{"--env"};
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const bool sets = equals != std::string::npos;
    const auto sound = sets ? policy::check_env_value(text.substr(0, equals), text.substr(equals + 1))
                            : policy::check_pass_entry(text);
    if (!sound)
      mistakes.push_back({origin, cat("'", printable(text.substr(0, equals)), "' ", sound.error().message), ""});
    if (sets)
      env.set[text.substr(0, equals)] = {text.substr(equals + 1), origin};
    else
      env.pass.push_back({text, origin});
  }
}

// Relative paths on the command line are the caller's, so they count from its directory, not from the project.
std::vector<std::string> from_current_directory(std::vector<std::string> paths, const std::string& current) {
  for (std::string& path : paths) {
    const bool removal = path.starts_with('!');
    const std::string bare = removal ? path.substr(1) : path;
    if (bare.empty() || bare[0] == '/' || bare[0] == '~' || bare[0] == '$') continue;
    path = cat(removal ? "!" : "", current, "/", bare);
  }
  return paths;
}

policy::Policy command_line_layer(const StartOptions& options, const std::string& current,
                                  std::vector<Diagnostic>& mistakes) {
  policy::Policy layer;
  for (const auto& [key, value] : options.limits) {
    const Origin origin{"--" + key};
    if (const auto assigned = policy::assign_limit(layer.limits, key, value, origin); !assigned) {
      mistakes.push_back({origin, assigned.error().message, ""});
    }
  }
  add_entries(layer.files.read_only, from_current_directory(options.read_only, current), "--ro", policy::Globs::refused,
              mistakes);
  add_entries(layer.files.read_write, from_current_directory(options.read_write, current), "--rw",
              policy::Globs::refused, mistakes);
  add_entries(layer.files.copy, from_current_directory(options.copy, current), "--copy", policy::Globs::refused,
              mistakes);
  add_entries(layer.files.hide, from_current_directory(options.hide, current), "--hide", policy::Globs::allowed,
              mistakes);
  add_environment(layer.env, options.env, mistakes);
  if (options.network == "host")
    layer.network = {policy::NetworkMode::host, Origin{"--net"}};
  else if (options.network == "none")
    layer.network = {policy::NetworkMode::none, Origin{"--net"}};
  else if (!options.network.empty())
    mistakes.push_back({Origin{"--net"}, "must be \"host\" or \"none\"", ""});
  return layer;
}

}  // namespace

Result<LayeredPolicy> load_layers(const StartOptions& options, const std::string& project) {
  const std::string config_dir = AGENTCTL_TRY(config_dir_path());
  std::vector<Diagnostic> mistakes;
  LayeredPolicy layered;
  layered.policy = policy::built_in_default();

  const policy::Policy system = AGENTCTL_TRY(policy::load_policy_file(kSystemPolicy));
  const policy::Policy user = AGENTCTL_TRY(policy::load_policy_file(config_dir + "/policy.toml"));

  // The profile comes from the command, and the command, when none is typed, from the policy files.
  layered.command = options.command;
  if (layered.command.empty() && options.profile.empty()) {
    if (user.command)
      layered.command = user.command->value;
    else if (system.command)
      layered.command = system.command->value;
  }
  layered.profile = options.profile;
  if (layered.profile.empty() && !layered.command.empty())
    layered.profile = policy::profile_for_command(layered.command[0], config_dir);
  policy::Policy profile;
  if (!layered.profile.empty() && layered.profile != "default") {
    profile = AGENTCTL_TRY(policy::load_profile(layered.profile, config_dir));
  }
  layered.policy = policy::merge(layered.policy, profile, mistakes);
  layered.policy = policy::merge(layered.policy, system, mistakes);
  layered.policy = policy::merge(layered.policy, user, mistakes);
  const std::string current = AGENTCTL_TRY(current_directory());
  layered.policy = policy::merge(layered.policy, command_line_layer(options, current, mistakes), mistakes);

  const policy::Policy filter =
      AGENTCTL_TRY(policy::load_policy_file(project + kProjectPolicy, policy::PolicyLinks::refused));
  layered.policy = policy::narrow(layered.policy, filter, bwrap::read_machine_size(), mistakes);
  if (mistakes.empty()) mistakes = policy::check(layered.policy);
  AGENTCTL_TRY_VOID(policy::to_result(mistakes));

  // The agent's bare name stands for the command its profile runs, which may carry options ("codex").
  const auto& profile_command = profile.command;
  const bool is_bare_name =
      layered.command.size() == 1 && profile_command && profile_command->value[0] == layered.command[0];
  if ((layered.command.empty() || is_bare_name) && profile_command) layered.command = profile_command->value;
  if (layered.profile.empty()) layered.profile = "default";
  return layered;
}

}  // namespace agentctl::manager
