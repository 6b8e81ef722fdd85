// SPDX-License-Identifier: Apache-2.0
#include "manager/command_line/verbs.h"

#include <utility>

#include "base/text.h"
#include "manager/command_line/remote_host.h"

namespace agentctl::manager::command_line {
namespace {

class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return cat("Usage: ", usage_, "\n"); }

 private:
  std::string usage_;
};

}  // namespace

CLI::App* add_subcommand(CLI::App& app, const char* name, const char* usage, const char* help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->formatter(std::make_shared<UsageFormatter>(usage));
  return command;
}

Verbs::Verbs(bool start_alone)
    : app_("Runs AI coding agents in a sandbox, inside a systemd scope with proven limits.", "agentctl") {
  app_.require_subcommand(1);
  app_.set_version_flag("--version", "agentctl " AGENTCTL_VERSION);
  // Read before the rest is; here for the help.
  app_.add_option_function<std::string>(
          kHostOption, [](const std::string&) {}, "the same on another machine, over ssh")
      ->option_text("[USER@]HOST");
  add_start(*this);
  if (start_alone) return;
  add_session_commands(*this);
  add_publish_commands(*this);
  add_allow_commands(*this);
  add_query_commands(*this);
  add_probe(*this);
  add_policy_commands(*this);
  add_shell_commands(*this);
  add_launch(*this);
  add_serve(*this);
}

CLI::App* Verbs::add(const char* name, const char* usage, const char* help, Verb verb) {
  verbs_.emplace(name, std::move(verb));
  return add_subcommand(app_, name, usage, help);
}

}  // namespace agentctl::manager::command_line
