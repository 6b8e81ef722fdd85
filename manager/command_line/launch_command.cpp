// SPDX-License-Identifier: Apache-2.0
// What a desktop's entries and menus call.
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

Result<Command> finish_launch(const LaunchOptions& launch, const CLI::App& used) {
  const bool names_session = used.count("--profile") + used.count("DIR") + used.count("--browse") > 0;
  if (launch.status && launch.stop_all)
    return make_error(ErrorKind::usage, "--status must not stand beside --stop-all");
  if ((launch.status || launch.stop_all) && names_session)
    return make_error(ErrorKind::usage, "launch starts no session with --status or --stop-all",
                      "leave DIR, --profile and --browse out");
  if (used.count("DIR") > 0 && launch.directory.empty()) return make_error(ErrorKind::usage, "DIR must not be empty");
  if (used.count("DIR") > 0 && launch.browse)
    return make_error(ErrorKind::usage, "--browse must not stand beside DIR: there is nothing left to choose");
  return Command(launch);
}

}  // namespace

void add_launch(Verbs& verbs) {
  const auto launch = std::make_shared<LaunchOptions>();
  CLI::App* command = verbs.add("launch", "agentctl launch [OPTIONS] [DIR] | --status | --stop-all",
                                "choose a project and an agent, and start a session in a new window of your terminal",
                                {[launch](const CLI::App& used) { return finish_launch(*launch, used); }});
  command->add_option("DIR", launch->directory, "the project (default: asked for)");
  command->add_option("-p,--profile", launch->profile, "policy profile (default: asked for)");
  command->add_flag("--browse", launch->browse, "ask for any directory, not for one of the last used");
  command->add_flag("--here", launch->here, "on this terminal, not in a new window");
  command->add_flag("--status", launch->status, "show the sessions, live, in a new window");
  command->add_flag("--stop-all", launch->stop_all, "end all sessions, and tell how that went");
}

}  // namespace agentctl::manager::command_line
