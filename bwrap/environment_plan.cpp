// SPDX-License-Identifier: Apache-2.0
#include "bwrap/environment_plan.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "bwrap/cache_variables.h"
#include "bwrap/environment_files.h"
#include "bwrap/proxy_variables.h"
#include "bwrap/search_path.h"
#include "bwrap/system_layout.h"
#include "policy/env_name.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kFallbackPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kFallbackShell = "/bin/sh";
constexpr const char* kOwnProxy =
    "' is not passed: with the network mode allowlist a session has a proxy of its own, which goes through this "
    "machine's";

std::string plan_path(const HostFacts& facts, const Layout& layout) {
  std::vector<std::string> shown;
  std::vector<std::string> searched = search_directories(facts.environment);
  searched.insert(searched.end(), facts.user_programs.begin(), facts.user_programs.end());
  for (const std::string& directory : searched) {
    const auto fact = facts.paths.find(directory);
    if (fact == facts.paths.end() || fact->second.kind != PathKind::directory || !layout.shows(fact->second)) continue;
    shown.push_back(directory);
  }
  return shown.empty() ? kFallbackPath : join(shown, ":");
}

std::string plan_shell(const HostFacts& facts, const Layout& layout) {
  const auto shell = facts.environment.find("SHELL");
  if (shell == facts.environment.end()) return kFallbackShell;
  const auto fact = facts.paths.find(shell->second);
  const bool usable = fact != facts.paths.end() && fact->second.kind == PathKind::file && layout.shows(fact->second);
  return usable ? shell->second : kFallbackShell;
}

// The variable as the session gets it; nothing where it gets none.
std::optional<std::string> pass_value(const policy::Entry& entry, const std::string& name, const std::string& value,
                                      const ShownPaths& shown, std::vector<std::string>& warnings) {
  if (policy::is_loader_variable(name) || !policy::is_env_name(name)) return std::nullopt;
  if (entry.text != name && policy::needs_full_name(name)) {
    warnings.push_back(cat("environment: '", name, "' is not passed by '", entry.text, "': name it in full"));
    return std::nullopt;
  }
  std::optional<std::string> kept = keep_shown_paths(name, value, shown);
  if (!kept) {
    warnings.push_back(
        cat("environment: '", name, "' is not passed: the session does not see '", printable(value), "'"));
  }
  return kept;
}

}  // namespace

std::vector<std::string> plan_environment(const policy::Policy& policy, const HostFacts& facts, const Layout& layout,
                                          const std::map<std::string, std::string>& opened, const std::string& cache,
                                          std::vector<std::string>& warnings) {
  const policy::EnvSettings& env = policy.env;
  const bool has_door = policy::network_mode(policy) == policy::NetworkMode::allowlist;
  const auto is_shown = [&](const std::string& path) {
    const auto fact = facts.paths.find(path);
    return fact != facts.paths.end() && layout.shows(fact->second);
  };
  std::map<std::string, std::string> variables;
  for (const auto& [name, value] : facts.environment) {
    const auto matches = [&, &key = name](const policy::Entry& entry) {
      return policy::matches_env_name(entry.text, key);
    };
    // Its full name says more than a pattern.
    auto entry = std::find_if(env.pass.begin(), env.pass.end(),
                              [&, &key = name](const policy::Entry& passed) { return passed.text == key; });
    if (entry == env.pass.end()) entry = std::find_if(env.pass.begin(), env.pass.end(), matches);
    if (entry == env.pass.end() || env.set.contains(name)) continue;
    if (has_door && is_proxy_variable(name)) {
      warnings.push_back(cat("environment: '", name, kOwnProxy));
      continue;
    }
    if (auto kept = pass_value(*entry, name, value, is_shown, warnings)) variables[name] = std::move(*kept);
  }
  variables["HOME"] = facts.home.path.str();
  variables["USER"] = facts.user;
  variables["LOGNAME"] = facts.user;
  variables["SHELL"] = plan_shell(facts, layout);
  variables["PATH"] = plan_path(facts, layout);
  variables["TMPDIR"] = "/tmp";
  variables["XDG_RUNTIME_DIR"] = runtime_directory(facts.uid);
  variables["AGENTCTL"] = "1";
  variables["PWD"] = facts.project.logical.str();
  for (const auto& [name, value] : opened) variables[name] = value;
  add_cache_variables(cache, variables);
  if (has_door) add_proxy_variables(variables);
  for (const auto& [name, setting] : env.set) variables[name] = setting.value;

  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(cat(name, "=", value));
  return environment;
}

}  // namespace agentctl::bwrap
