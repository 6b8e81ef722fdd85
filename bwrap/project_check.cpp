// SPDX-License-Identifier: Apache-2.0
#include "bwrap/project_check.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "bwrap/path_resolution.h"
#include "bwrap/search_path.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kSystemTrees[] = {"/usr",   "/etc",   "/bin",    "/sbin", "/lib",
                                             "/lib32", "/lib64", "/libx32", "/proc", "/sys",
                                             "/dev",   "/boot",  "/nix",    "/gnu",  "/run/agentctl"};
// Sources that people do build in.
constexpr std::string_view kBuildTrees[] = {"/usr/src", "/usr/local"};
// Too much at once; a directory below is fine.
constexpr std::string_view kWholeTrees[] = {"/",    "/usr/src", "/usr/local", "/home", "/root",    "/tmp",     "/var",
                                            "/run", "/opt",     "/srv",       "/mnt",  "/var/tmp", "/run/user"};

struct Reason {
  std::string text;
  std::string hint;
};

// A directory by its canonical name, or by its own where nothing stands there yet.
std::string place_of(const HostFacts& facts, const std::string& name) {
  const auto entry = facts.paths.find(name);
  return entry == facts.paths.end() || entry->second.canonical.str().empty() ? name : entry->second.canonical.str();
}

bool overlaps(const std::string& one, const std::string& other) {
  return starts_with_path(one, other) || starts_with_path(other, one);
}

std::optional<Reason> find_system_reason(const std::string& path) {
  for (const std::string_view whole : kWholeTrees) {
    if (path == whole) return Reason{"it is a directory of the whole system", {}};
  }
  const auto holds_path = [&](std::string_view tree) { return starts_with_path(path, tree); };
  if (std::any_of(std::begin(kBuildTrees), std::end(kBuildTrees), holds_path)) return std::nullopt;
  for (const std::string_view tree : kSystemTrees) {
    if (holds_path(tree)) return Reason{cat("'", tree, "' is the system's"), {}};
  }
  return std::nullopt;
}

// Why nobody inside may write `path`, a canonical name.
std::optional<Reason> find_reason(const std::string& path, const HostFacts& facts) {
  if (auto reason = find_system_reason(path)) return reason;
  for (const std::string& home : {facts.home.canonical.str(), facts.home.path.str()}) {
    if (home.empty() || !starts_with_path(home, path)) continue;
    return Reason{path == home ? "it is the home directory" : "it holds the home directory",
                  "use a directory of its own for each project"};
  }
  const std::pair<const std::string&, std::string_view> ours[] = {{facts.config_dir, "configuration"},
                                                                  {facts.state_dir, "state"}};
  for (const auto& [directory, what] : ours) {
    if (directory.empty() || !overlaps(place_of(facts, directory), path)) continue;
    return Reason{cat("the ", what, " of agentctl is in '", printable(directory), "'"), {}};
  }
  for (const std::string& directory : search_directories(facts.environment)) {
    if (!starts_with_path(place_of(facts, directory), path) || is_tool_directory_of_project(directory, facts)) continue;
    return Reason{
        cat("it holds '", printable(directory), "', which is in PATH: what the agent puts there you would run"),
        "take that directory out of PATH first"};
  }
  return std::nullopt;
}

}  // namespace

Result<void> check_project(const HostFacts& facts) {
  const std::string& path = facts.project.canonical.str();
  if (const auto reason = find_reason(path, facts)) {
    return make_error(ErrorKind::policy, cat("refused to use '", printable(path), "' as the project: ", reason->text),
                      reason->hint.empty() ? "start in the directory of a project, or name one with -C" : reason->hint);
  }
  return {};
}

Result<void> check_writable(const policy::Entry& entry, const PathFact& fact, const HostFacts& facts) {
  const std::string& path = fact.canonical.str();
  // A file in a directory of PATH is as good as the directory.
  const std::string place = fact.kind == PathKind::file ? parent_path(path) : path;
  auto reason = find_reason(path, facts);
  for (const std::string& directory : search_directories(facts.environment)) {
    if (!reason && fact.kind == PathKind::file && place == place_of(facts, directory)) {
      reason = Reason{cat("'", printable(directory), "' is in PATH"), {}};
    }
  }
  if (!reason) return {};
  return make_error(
      ErrorKind::policy,
      cat(policy::to_string(entry.origin), ": refused to make '", printable(entry.text), "' writable: ", reason->text),
      reason->hint);
}

}  // namespace agentctl::bwrap
