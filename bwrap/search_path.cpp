// SPDX-License-Identifier: Apache-2.0
#include "bwrap/search_path.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kOrigin = "PATH";

// Below the home: a place of programs, and what they read when they run. Nothing here may hold a login.
struct ToolPlace {
  std::string_view programs;
  std::vector<std::string_view> needs;
};

const std::vector<ToolPlace>& tool_places() {
  static const std::vector<ToolPlace> places = {
      {".nvm", {".nvm"}},
      {".volta", {".volta"}},
      {".fnm", {".fnm"}},
      {".asdf", {".asdf", ".asdfrc", ".tool-versions"}},
      {".local/share/mise",
       {".local/share/mise", ".config/mise/config.toml", ".config/mise/settings.toml", ".local/state/mise",
        ".tool-versions"}},
      {".pyenv", {".pyenv"}},
      {".rbenv", {".rbenv"}},
      {".nodenv", {".nodenv"}},
      {".goenv", {".goenv"}},
      {".jenv", {".jenv"}},
      {".sdkman", {".sdkman"}},
      {".cargo/bin", {".cargo/env", ".rustup"}},
      {".bun", {".bun"}},
      {".npm-global", {".npm-global"}},
      {".npm-packages", {".npm-packages"}},
      {".yarn/bin", {".config/yarn/global"}},
      {".config/yarn/global", {".config/yarn/global"}},
      {".composer/vendor", {".composer/vendor"}},
      {".config/composer/vendor", {".config/composer/vendor"}},
      {".linuxbrew", {".linuxbrew"}},
      {".dotnet", {".dotnet"}},
      {".krew", {".krew"}},
      {".ghcup", {".ghcup"}},
      {".opam", {".opam"}},
      {".juliaup", {".juliaup", ".julia/juliaup"}},
      {"miniconda3", {"miniconda3"}},
      {"anaconda3", {"anaconda3"}},
      {"miniforge3", {"miniforge3"}},
      {"mambaforge", {"mambaforge"}},
  };
  return places;
}

// Made anew inside, of no use there, or not a place for programs.
constexpr std::string_view kNotShown[] = {"/proc", "/sys", "/dev", "/run", "/tmp", "/var/tmp", "/snap", "/etc"};
constexpr std::string_view kLinuxbrew = "/home/linuxbrew/.linuxbrew";

const PathFact* find_directory(const HostFacts& facts, const std::string& name) {
  const auto fact = facts.paths.find(name);
  return fact != facts.paths.end() && fact->second.kind == PathKind::directory ? &fact->second : nullptr;
}

bool overlaps(const std::string& one, const std::string& other) {
  return !one.empty() && !other.empty() && (starts_with_path(one, other) || starts_with_path(other, one));
}

bool may_be_shown(const PathFact& fact, const HostFacts& facts) {
  const std::string& path = fact.canonical.str();
  if (path == "/" || overlaps(path, facts.project.canonical.str())) return false;
  for (const std::string& home : {facts.home.canonical.str(), facts.home.path.str()}) {
    if (!home.empty() && starts_with_path(home, path)) return false;
  }
  for (const std::string& own : {facts.config_dir, facts.state_dir}) {
    if (overlaps(path, own)) return false;
  }
  const std::string& home = facts.home.canonical.str();
  if (!home.empty() && starts_with_path(path, home)) return true;
  return std::none_of(std::begin(kNotShown), std::end(kNotShown),
                      [&](std::string_view tree) { return starts_with_path(path, tree); });
}

void add_needs_of(const std::string& directory, const std::string& home, std::vector<std::string>& names) {
  if (starts_with_path(directory, kLinuxbrew)) names.emplace_back(kLinuxbrew);
  if (home.empty() || !starts_with_path(directory, home)) return;
  for (const ToolPlace& place : tool_places()) {
    if (!starts_with_path(directory, cat(home, "/", place.programs))) continue;
    for (const std::string_view need : place.needs) names.push_back(cat(home, "/", need));
  }
}

std::vector<std::string> needs_of_directories(const HostFacts& facts) {
  std::vector<std::string> names;
  for (const std::string& directory : search_directories(facts.environment)) {
    const PathFact* fact = find_directory(facts, directory);
    if (fact == nullptr) continue;
    add_needs_of(directory, facts.home.path.str(), names);
    add_needs_of(fact->canonical.str(), facts.home.canonical.str(), names);
  }
  return names;
}

std::string python_mark(const std::string& directory) { return join_path(parent_path(directory), "pyvenv.cfg"); }

}  // namespace

std::vector<std::string> search_directories(const std::map<std::string, std::string>& environment) {
  std::vector<std::string> directories;
  const auto path = environment.find("PATH");
  if (path == environment.end()) return directories;
  for (const std::string& entry : split(path->second, ':')) {
    if (!entry.starts_with('/')) continue;
    std::string directory = normalize_path(entry);
    if (std::find(directories.begin(), directories.end(), directory) == directories.end()) {
      directories.push_back(std::move(directory));
    }
  }
  return directories;
}

std::vector<std::string> search_path_names(const HostFacts& facts) {
  std::vector<std::string> names = needs_of_directories(facts);
  for (const std::string& directory : search_directories(facts.environment)) {
    const PathFact* fact = find_directory(facts, directory);
    if (fact == nullptr || !starts_with_path(fact->canonical.str(), facts.project.canonical.str())) continue;
    names.push_back(python_mark(fact->canonical.str()));
  }
  return names;
}

bool is_tool_directory_of_project(const std::string& directory, const HostFacts& facts) {
  const PathFact* fact = find_directory(facts, directory);
  const std::string& project = facts.project.canonical.str();
  if (fact == nullptr || !starts_with_path(fact->canonical.str(), project)) return false;
  // ~/bin may be a link into a project of dotfiles: what is called by a name outside is the user's.
  if (!starts_with_path(directory, project) && !starts_with_path(directory, facts.project.logical.str())) return false;
  const std::string& path = fact->canonical.str();
  if (path.ends_with("/node_modules/.bin")) return true;
  const auto mark = facts.paths.find(python_mark(path));
  return mark != facts.paths.end() && mark->second.kind == PathKind::file;
}

void add_search_path(const HostFacts& facts, Layout& layout) {
  std::vector<std::string> names = search_directories(facts.environment);
  for (std::string& name : needs_of_directories(facts)) names.push_back(std::move(name));
  for (const std::string& name : names) {
    const auto fact = facts.paths.find(name);
    if (fact == facts.paths.end() || !may_be_shown(fact->second, facts)) continue;
    if (fact->second.kind != PathKind::directory && fact->second.kind != PathKind::file) continue;
    if (layout.is_hidden(fact->second.canonical.str())) continue;
    layout.want_links(fact->second, kOrigin);
    layout.want(bind_want(fact->second, Access::read_only, Rank::built_in, kOrigin));
  }
}

}  // namespace agentctl::bwrap
