// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_facts.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/bwrap_binary.h"
#include "bwrap/caller.h"
#include "bwrap/command_lookup.h"
#include "bwrap/environment_files.h"
#include "bwrap/file_rules.h"
#include "bwrap/git_repository.h"
#include "bwrap/hidden_places.h"
#include "bwrap/home_layout.h"
#include "bwrap/home_secrets.h"
#include "bwrap/landlock_scope.h"
#include "bwrap/machine_size.h"
#include "bwrap/near_name.h"
#include "bwrap/opening.h"
#include "bwrap/path_resolution.h"
#include "bwrap/project_check.h"
#include "bwrap/safe_path.h"
#include "bwrap/search_path.h"
#include "bwrap/secret_project.h"
#include "bwrap/served_sockets.h"
#include "bwrap/silent_mounts.h"
#include "bwrap/system_layout.h"
#include "bwrap/user_programs.h"
#include "bwrap/x_display.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kDefaultSearchPath = "/usr/local/bin:/usr/bin:/bin";

// XDG Base Directory Specification: a relative value is to be ignored.
std::string user_directory(const HostFacts& facts, const std::string& variable, const std::string& otherwise) {
  const auto entry = facts.environment.find(variable);
  const bool given = entry != facts.environment.end() && entry->second.starts_with('/');
  return normalize_path(cat(given ? entry->second : cat(facts.home.path.str(), otherwise), "/agentctl"));
}

std::vector<std::string> names_to_look_at(const HostFacts& facts, const policy::Policy& policy) {
  std::vector<std::string> names = system_path_names();
  const auto add = [&](std::vector<std::string> more) {
    std::move(more.begin(), more.end(), std::back_inserter(names));
  };
  add(named_paths(policy.files, facts.home.path.str(), facts.project.canonical.str()));
  add(opening_paths(policy.allow, facts));
  add(home_path_names(facts.home.path.str()));
  add(facts.user_programs);
  add(environment_paths(facts.environment));
  add({facts.project.logical.str(), facts.config_dir, facts.state_dir});
  const auto shell = facts.environment.find("SHELL");
  if (shell != facts.environment.end() && shell->second.starts_with('/')) names.push_back(shell->second);
  return names;
}

std::vector<std::string> programs_beyond_path(const HostFacts& facts, PathResolver& resolver) {
  std::vector<std::string> directories = user_program_directories(facts.home.path.str(), resolver);
  for (const std::string& known : search_directories(facts.environment)) std::erase(directories, known);
  return directories;
}

Result<CommandFact> find_command(const FactsRequest& request, const HostFacts& facts, PathResolver& resolver) {
  CommandRequest command;
  command.words = request.command;
  if (command.words.empty() && request.policy.command) command.words = request.policy.command->value;
  const auto path = facts.environment.find("PATH");
  command.search_path = path == facts.environment.end() ? kDefaultSearchPath : path->second;
  for (const std::string& directory : facts.user_programs) command.search_path += cat(":", directory);
  command.project = facts.project;
  for (const PathFact& entry : facts.root_entries) {
    if (entry.kind == PathKind::directory) command.visible.push_back(entry.canonical.str());
  }
  for (const std::string& place :
       {facts.home.canonical.str(), facts.home.path.str(), facts.config_dir, facts.state_dir}) {
    if (!place.empty()) command.never_whole.push_back(place);
  }
  return look_up_command(command, resolver);
}

// bwrap is given names: what they led to when they were checked is held against what it bound in the end.
Result<void> identify_grants(const policy::FileSettings& files, HostFacts& facts) {
  for (const policy::Entries& list : {files.read_only, files.read_write}) {
    for (const policy::Entry& entry : list) {
      const auto fact = facts.paths.find(expand_path(entry.text, facts.home.path.str(), facts.project.canonical.str()));
      if (fact == facts.paths.end()) continue;
      PathFact& granted = fact->second;
      if (granted.kind != PathKind::file && granted.kind != PathKind::directory) continue;
      granted.identity = AGENTCTL_TRY(with_context(policy::to_string(entry.origin), identify_file(granted.canonical)));
    }
  }
  return {};
}

}  // namespace

std::string expand_path(const std::string& text, const std::string& home, const std::string& project) {
  if (text.starts_with('/')) return normalize_path(text);
  if (text.starts_with('~') || text.starts_with('$')) {
    for (const std::string_view name : {"~", "$HOME", "${HOME}"}) {
      if (starts_with_path(text, name)) return normalize_path(cat(home, "/", text.substr(name.size())));
    }
  }
  return normalize_path(cat(project, "/", std::string_view(text).substr(text.starts_with("./") ? 2 : 0)));
}

Result<HostFacts> gather_host_facts(const FactsRequest& request) {
  PathResolver resolver(request.mounts);
  HostFacts facts;
  AGENTCTL_TRY_VOID(check_caller_is_on_host());
  facts.uid = ::getuid();
  facts.gid = ::getgid();
  facts.environment = read_environment();
  Account account = find_account(facts.uid, facts.environment);
  facts.user = std::move(account.user);
  facts.home = account.home.empty() ? PathFact{} : resolver.resolve(account.home);
  facts.home_has_mounts = request.mounts == nullptr || request.mounts->has_below(facts.home.canonical.str());
  facts.project = AGENTCTL_TRY(find_project(request.project, facts.environment, resolver));
  facts.bwrap = AGENTCTL_TRY(find_bwrap(bwrap_directories()));
  facts.machine = read_machine_size();
  const auto& network = request.policy.network;
  if (network && network->value == policy::NetworkMode::host) {
    facts.has_landlock_scopes = has_landlock_scopes();
    if (!facts.has_landlock_scopes) facts.x_socket = find_x_socket(caller_variable(facts, "DISPLAY"));
  }
  facts.config_dir = user_directory(facts, "XDG_CONFIG_HOME", "/.config");
  facts.state_dir = user_directory(facts, "XDG_STATE_HOME", "/.local/state");
  for (const std::string& name : root_entry_names()) facts.root_entries.push_back(resolver.resolve(name));
  const auto look_at = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!facts.paths.contains(name)) facts.paths.emplace(name, resolver.resolve(name));
    }
  };
  look_at(search_directories(facts.environment));
  look_at(search_path_names(facts));
  facts.user_programs = programs_beyond_path(facts, resolver);
  facts.certificate_files = find_certificate_files(facts.environment, resolver);
  // What may not be a project is refused as that, before anything is missed in it.
  AGENTCTL_TRY_VOID(check_project(facts));
  facts.secret_places = find_secret_places(facts, resolver);
  AGENTCTL_TRY_VOID(check_project_secrets(request.policy.files, facts));
  facts.command = AGENTCTL_TRY(find_command(request, facts, resolver));
  look_at(names_to_look_at(facts, request.policy));
  facts.near_names = find_near_names(request.policy.files, facts);
  AGENTCTL_TRY_VOID(identify_grants(request.policy.files, facts));
  if (request.policy.files.home && request.policy.files.home->value == policy::HomeMode::read_only) {
    facts.home_secrets = list_home_secrets(request.policy.files, facts, resolver);
  }
  facts.split = list_split_directories(request.policy.files, facts, resolver);
  facts.git = find_git({facts.project.canonical, facts.home.path.str(), request.policy.files}, resolver);
  const auto trees = trees_that_may_be_shown(facts, policy::home_mode(request.policy.files));
  facts.served_sockets = find_served_sockets(trees, resolver);
  AGENTCTL_TRY_VOID(look_at_hidden_places(request.policy.files, facts, resolver, request.watch));
  if (request.mounts != nullptr && request.mounts->has_remote()) {
    facts.silent_mounts = request.mounts->silent_below(trees);
  }
  return facts;
}

}  // namespace agentctl::bwrap
