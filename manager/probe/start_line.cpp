// SPDX-License-Identifier: Apache-2.0
#include "manager/probe/start_line.h"

#include "base/text.h"

namespace agentctl::probe {
namespace {

// An entry of a list may begin with "!", and is then written as explain prints it.
std::string absolute(const std::string& entry, const std::string& current) {
  const bool removal = entry.starts_with('!');
  const std::string path = removal ? entry.substr(1) : entry;
  if (path.empty() || path[0] == '/' || path[0] == '~' || path[0] == '$') return entry;
  if (removal && (path.starts_with("./") || path.starts_with("**"))) return entry;
  return cat(removal ? "!" : "", current, "/", path);
}

}  // namespace

std::vector<std::string> start_options(const manager::StartOptions& options, const std::string& current) {
  std::vector<std::string> words;
  const auto add = [&](std::string_view option, std::string_view value) { words.push_back(cat(option, "=", value)); };
  if (!options.profile.empty()) add("--profile", options.profile);
  for (const auto& [key, value] : options.limits) add(cat("--", key), value);
  for (const std::string& path : options.read_only) add("--ro", absolute(path, current));
  for (const std::string& path : options.read_write) add("--rw", absolute(path, current));
  for (const std::string& path : options.hide) add("--hide", absolute(path, current));
  for (const std::string& path : options.copy) add("--copy", absolute(path, current));
  for (const std::string& path : options.protect) add("--protect", absolute(path, current));
  for (const std::string& variable : options.env) add("--env", variable);
  if (options.home) add("--home", *options.home);
  if (options.network) add("--net", *options.network);
  for (const std::string& host : options.allow) add("--allow", host);
  for (const std::string& host : options.deny) add("--deny", host);
  if (options.no_limits)
    words.emplace_back("--no-limits");
  else
    add("--manager", units::to_string(options.manager));
  return words;
}

}  // namespace agentctl::probe
