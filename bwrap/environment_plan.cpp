// SPDX-License-Identifier: Apache-2.0
#include "bwrap/environment_plan.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "bwrap/cache_variables.h"
#include "bwrap/search_path.h"
#include "bwrap/system_layout.h"
#include "policy/env_name.h"

namespace agentctl::bwrap {
namespace {

constexpr const char* kFallbackPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kFallbackShell = "/bin/sh";

std::string plan_path(const HostFacts& facts, const Layout& layout) {
  std::vector<std::string> shown;
  for (const std::string& directory : search_directories(facts.environment)) {
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

}  // namespace

std::vector<std::string> plan_environment(const policy::EnvSettings& env, const HostFacts& facts, const Layout& layout,
                                          const std::map<std::string, std::string>& opened, const std::string& cache) {
  std::map<std::string, std::string> variables;
  for (const auto& variable : facts.environment) {
    const bool passed = std::any_of(env.pass.begin(), env.pass.end(), [&](const policy::Entry& entry) {
      return policy::matches_env_name(entry.text, variable.first);
    });
    if (passed && !policy::is_loader_variable(variable.first)) variables.insert(variable);
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
  for (const auto& [name, setting] : env.set) variables[name] = setting.value;

  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) environment.push_back(cat(name, "=", value));
  return environment;
}

}  // namespace agentctl::bwrap
