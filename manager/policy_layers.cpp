// SPDX-License-Identifier: Apache-2.0
#include "manager/policy_layers.h"

#include <sys/stat.h>

#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/machine_size.h"
#include "manager/project_policy.h"
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
constexpr const char* kOutdated = " has changed since it was trusted: it can only take away until it is trusted again";

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

std::string trust_hint(Trust trust, const std::string& project) {
  return cat(trust == Trust::outdated ? "it has changed since you trusted it: " : "", "look at it; 'agentctl trust ",
             shell_quote(project), "' lets it");
}

// The built-in default is below every profile already; a user's own one of that name is for commands without a profile.
Result<policy::Policy> load_chosen_profile(const std::string& name, const std::string& config_dir) {
  if (name != "default") return policy::load_profile(name, config_dir);
  return policy::load_policy_file(config_dir + "/profiles/default.toml");
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Result<LayeredPolicy> load_layers(const StartOptions& options, const std::string& project) {
  const std::string config_dir = AGENTCTL_TRY(config_dir_path());
  std::vector<Diagnostic> mistakes;
  LayeredPolicy layered;
  layered.policy = policy::built_in_default();

  const policy::Policy system = AGENTCTL_TRY(policy::load_policy_file(kSystemPolicy));
  const policy::Policy user = AGENTCTL_TRY(policy::load_policy_file(config_dir + "/policy.toml"));
  const ProjectPolicyFile file = AGENTCTL_TRY(read_project_policy(project));
  layered.project_device = file.device;
  layered.project_inode = file.inode;
  const policy::Policy own =
      file.text ? AGENTCTL_TRY(policy::load_policy_text(*file.text, file.path)) : policy::Policy{};
  const Trust trust = AGENTCTL_TRY(find_trust(file, config_dir));
  const bool is_trusted = trust == Trust::current;

  // The profile comes from the command, and the command, when none is typed, from the policy files.
  layered.command = options.command;
  if (layered.command.empty() && options.profile.empty()) {
    if (is_trusted && own.command)
      layered.command = own.command->value;
    else if (user.command)
      layered.command = user.command->value;
    else if (system.command)
      layered.command = system.command->value;
  }
  layered.profile = options.profile;
  if (layered.profile.empty())
    layered.profile = layered.command.empty() ? "default" : policy::profile_for_command(layered.command[0], config_dir);
  const policy::Policy profile = AGENTCTL_TRY(load_chosen_profile(layered.profile, config_dir));
  layered.policy = policy::merge(std::move(layered.policy), profile, mistakes);
  layered.policy = policy::merge(std::move(layered.policy), system, mistakes);
  layered.policy = policy::merge(std::move(layered.policy), user, mistakes);
  if (is_trusted) layered.policy = policy::merge(std::move(layered.policy), own, mistakes);
  const std::string current = AGENTCTL_TRY(current_directory());
  layered.policy = policy::merge(std::move(layered.policy), command_line_layer(options, current, mistakes), mistakes);

  const bool is_sound = mistakes.empty();
  if (!is_trusted)
    layered.policy = policy::narrow(std::move(layered.policy), own, bwrap::read_machine_size(), mistakes);
  const std::string remedy = is_sound && !mistakes.empty() ? trust_hint(trust, project) : std::string();
  if (mistakes.empty()) mistakes = policy::check(layered.policy);
  if (auto sound = policy::to_result(mistakes); !sound) return std::move(sound).error().with_hint(remedy);
  if (trust == Trust::outdated) layered.warnings.push_back(cat("trust: ", file.path, kOutdated));

  // The agent's bare name stands for the command its profile runs, which may carry options ("codex") or its place.
  const auto& profile_command = profile.command;
  const bool is_bare_name = layered.command.size() == 1 && profile_command &&
                            layered.command[0].find('/') == std::string::npos &&
                            base_name(profile_command->value[0]) == layered.command[0];
  if ((layered.command.empty() || is_bare_name) && profile_command) layered.command = profile_command->value;
  return layered;
}

Result<void> check_same_project(const LayeredPolicy& layered, const std::string& canonical) {
  struct stat status {};
  if (::stat(canonical.c_str(), &status) == 0 && status.st_dev == layered.project_device &&
      status.st_ino == layered.project_inode) {
    return {};
  }
  return make_error(ErrorKind::policy,
                    cat("refused to use '", printable(canonical), "' as the project: it was replaced meanwhile"));
}

}  // namespace agentctl::manager
