// SPDX-License-Identifier: Apache-2.0
#include "manager/command_line/sandbox_options.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "manager/limit_help.h"
#include "policy/limit_setting.h"

namespace agentctl::manager::command_line {

void add_sandbox_options(CLI::App& command, StartOptions& start) {
  command.add_option("-p,--profile", start.profile, "policy profile (default: by the command's name)");
  command.add_option("-C,--project", start.project, "project directory");
  for (const std::string_view key : policy::limit_keys()) {
    const auto store = [&start, name = std::string(key)](const std::string& value) {
      start.limits.emplace_back(name, value);
    };
    command.add_option_function<std::string>(cat("--", key), store, limit_help(key));
  }
  // One value each time: a plain list would take the words that come after it, too.
  const auto add_list = [&command](const char* option, std::vector<std::string>& list, const char* help) {
    const auto store = [&list](const std::string& value) { list.push_back(value); };
    command.add_option_function<std::string>(option, store, help)->trigger_on_parse();
  };
  add_list("--ro", start.read_only, "make PATH visible, read-only");
  add_list("--rw", start.read_write, "make PATH visible and writable");
  add_list("--hide", start.hide, "hide PATH");
  add_list("--copy", start.copy, "give the session a copy of the file PATH");
  add_list("--protect", start.protect, "keep PATH read-only where it is visible");
  command.add_option("--home", start.home, "home: private, persistent or read-only");
  add_list("--env", start.env, "pass the variable NAME, or set NAME=VALUE");
  command.add_option("--net", start.network, "network: nat, allowlist, host or none");
  add_list("--allow", start.allow, "with --net allowlist: let HOST[:PORT] be reached");
  add_list("--deny", start.deny, "with --net allowlist: do not, whatever allows it");
}

Result<void> check_no_limits(const CLI::App& command, const StartOptions& start) {
  if (!start.no_limits) return {};
  for (const auto& [key, unused] : start.limits) {
    if (key == "runtime-max") continue;  // agentctl's own timer, which needs no scope
    return make_error(ErrorKind::usage, cat("--no-limits must not stand beside --", key, ": nothing would enforce it"));
  }
  if (command.count("--manager") > 0)
    return make_error(ErrorKind::usage, "--no-limits must not stand beside --manager: no manager is asked");
  return {};
}

}  // namespace agentctl::manager::command_line
