// SPDX-License-Identifier: Apache-2.0
#include "manager/policy_layers.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/host_facts.h"
#include "bwrap/machine_size.h"
#include "bwrap/path_resolution.h"
#include "manager/project_policy.h"
#include "manager/state_dirs.h"
#include "policy/budget.h"
#include "policy/choice.h"
#include "policy/entry.h"
#include "policy/glob.h"
#include "policy/host_rule.h"
#include "policy/host_sets.h"
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

void add_hosts(policy::Entries& hosts, const std::vector<std::string>& texts, const char* option,
               Result<void> (*check_entry)(std::string_view entry), std::vector<Diagnostic>& mistakes) {
  for (const std::string& text : texts) {
    if (const auto sound = check_entry(text); !sound)
      mistakes.push_back({Origin{option}, cat("'", printable(text), "' ", sound.error().message), ""});
    for (std::string& host : policy::opened_host_set(text)) hosts.push_back({std::move(host), Origin{option}});
  }
}

// Whoever types a host means it to count.
void refuse_unheeded_hosts(const policy::HostSettings& typed, policy::NetworkMode mode,
                           std::vector<Diagnostic>& mistakes) {
  if (mode == policy::NetworkMode::allowlist) return;
  for (const policy::Entries* hosts : {&typed.allow, &typed.deny}) {
    if (hosts->empty()) continue;
    mistakes.push_back({hosts->front().origin,
                        cat("needs --net allowlist: the network mode is \"", policy::to_string(mode), "\""), ""});
  }
}

template <typename T>
void set_choice(std::optional<policy::Setting<T>>& setting, const std::optional<std::string>& word,
                Result<T> (*parse)(std::string_view word), const char* option, std::vector<Diagnostic>& mistakes) {
  if (!word) return;
  if (const Result<T> value = parse(*word)) {
    setting = policy::Setting<T>{*value, Origin{option}};
  } else {
    mistakes.push_back({Origin{option}, value.error().message, ""});
  }
}

// Relative paths on the command line are the caller's, so they count from its directory, not from the project; ".." in
// front is what the kernel makes of it.
std::vector<std::string> paths_from(std::vector<std::string> paths, const std::string& current,
                                    const std::function<std::string(const std::string&)>& write) {
  for (std::string& path : paths) {
    const bool removal = path.starts_with('!');
    std::string bare = removal ? path.substr(1) : path;
    if (bare.empty() || bare[0] == '/' || bare[0] == '~' || bare[0] == '$') continue;
    if (removal && (bare.starts_with("./") || bare.starts_with("**"))) continue;  // an entry, as explain prints it
    std::string from = current;
    if (bare == ".." || bare.starts_with("../")) from = bwrap::resolve_path(current).canonical.str();
    for (; bare == ".." || bare.starts_with("../"); bare.erase(0, 3)) from = bwrap::parent_path(from);
    path = cat(removal ? "!" : "", bare.empty() ? write(from) : bwrap::join_path(write(from), bare));
  }
  return paths;
}

std::vector<std::string> from_current_directory(const std::vector<std::string>& paths, const std::string& current) {
  return paths_from(paths, current, [](const std::string& directory) { return directory; });
}

// The directory's own name may look like a pattern.
std::vector<std::string> patterns_from(const std::vector<std::string>& patterns, const std::string& current) {
  return paths_from(patterns, current, [](const std::string& directory) { return policy::escape_glob(directory); });
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
  add_entries(layer.files.hide, patterns_from(options.hide, current), "--hide", policy::Globs::allowed, mistakes);
  add_entries(layer.files.protect, patterns_from(options.protect, current), "--protect", policy::Globs::allowed,
              mistakes);
  add_environment(layer.env, options.env, mistakes);
  set_choice(layer.files.home, options.home, policy::parse_home_mode, "--home", mistakes);
  set_choice(layer.network, options.network, policy::parse_network_mode, "--net", mistakes);
  add_hosts(layer.hosts.allow, options.allow, "--allow", policy::check_allow_entry, mistakes);
  add_hosts(layer.hosts.deny, options.deny, "--deny", policy::check_deny_entry, mistakes);
  return layer;
}

bool is_typed(const Diagnostic& mistake) { return mistake.origin.source.starts_with("--"); }

// A value that no session could have, and not a path that the policy forbids.
bool is_wrong_value(const Diagnostic& mistake) {
  constexpr std::string_view kPathOptions[] = {"--ro", "--rw", "--copy", "--hide", "--protect"};
  return is_typed(mistake) &&
         std::find(std::begin(kPathOptions), std::end(kPathOptions), mistake.origin.source) == std::end(kPathOptions);
}

// What the user wrote for this machine. A pattern in a file is about what may come.
void tell_if_missing(policy::Policy& layer) {
  for (policy::Entries* list : {&layer.files.hide, &layer.files.protect}) {
    for (policy::Entry& entry : *list) {
      const bool typed = entry.origin.source.starts_with("--");
      entry.told_if_missing = typed || (!policy::is_built_in(entry.origin) && !policy::is_glob(entry.text));
    }
  }
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
  policy::Policy user =
      AGENTCTL_TRY(policy::load_policy_file(config_dir + "/policy.toml", policy::AutostartTables::allowed));
  const ProjectPolicyFile file = AGENTCTL_TRY(read_project_policy(project));
  layered.project_device = file.device;
  layered.project_inode = file.inode;
  policy::Policy own = file.text ? AGENTCTL_TRY(policy::load_policy_text(*file.text, file.path)) : policy::Policy{};
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
  policy::Policy profile = AGENTCTL_TRY(load_chosen_profile(layered.profile, config_dir));
  policy::refuse_budget(profile, "a profile", mistakes);
  if (is_trusted) policy::refuse_budget(own, "a project's file", mistakes);
  tell_if_missing(profile);
  tell_if_missing(user);
  if (is_trusted) tell_if_missing(own);
  layered.policy = policy::merge(std::move(layered.policy), profile, mistakes);
  layered.policy = policy::merge(std::move(layered.policy), system, mistakes);
  layered.policy = policy::merge(std::move(layered.policy), user, mistakes);
  if (is_trusted) layered.policy = policy::merge(std::move(layered.policy), own, mistakes);
  const std::string current = AGENTCTL_TRY(current_directory());
  policy::Policy typed = command_line_layer(options, current, mistakes);
  tell_if_missing(typed);
  layered.policy = policy::merge(std::move(layered.policy), typed, mistakes);
  refuse_unheeded_hosts(typed.hosts, policy::network_mode(layered.policy), mistakes);

  const bool is_sound = mistakes.empty();
  if (auto typed_well = policy::to_result(mistakes);
      !typed_well && std::all_of(mistakes.begin(), mistakes.end(), is_typed)) {
    typed_well.error().kind = ErrorKind::usage;
    return std::move(typed_well).error();
  }
  if (!is_trusted)
    layered.policy = policy::narrow(std::move(layered.policy), own, bwrap::read_machine_size(), mistakes);
  const std::string remedy = is_sound && !mistakes.empty() ? trust_hint(trust, project) : std::string();
  if (mistakes.empty()) mistakes = policy::check(layered.policy);
  if (auto sound = policy::to_result(mistakes); !sound) {
    if (std::all_of(mistakes.begin(), mistakes.end(), is_wrong_value)) sound.error().kind = ErrorKind::usage;
    return std::move(sound).error().with_hint(remedy);
  }
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
