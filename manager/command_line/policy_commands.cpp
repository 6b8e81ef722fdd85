// SPDX-License-Identifier: Apache-2.0
// What is asked of policy and profiles, and written there.
#include "manager/command_line/sandbox_options.h"
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

void add_explain(Verbs& verbs) {
  const auto explain = std::make_shared<ExplainOptions>();
  CLI::App* command = verbs.add(
      "explain", "agentctl explain [OPTIONS] [PATH|HOST]",
      "show the policy of a start with the origin of every rule, or what it makes of PATH or HOST", plain(explain));
  command->add_option("SUBJECT", explain->subject, "a path (./NAME for a bare name), or a host");
  command->add_flag("--json", explain->start.json, "as JSON");
  add_sandbox_options(*command, explain->start);
}

Result<Command> finish_trust(const TrustOptions& trust) {
  if (trust.directory.empty() != trust.list || (trust.list && trust.remove))
    return make_error(ErrorKind::usage, "trust needs either a DIR or --list");
  return Command(trust);
}

void add_trust(Verbs& verbs) {
  const auto trust = std::make_shared<TrustOptions>();
  CLI::App* command = verbs.add("trust", "agentctl trust [--remove] DIR | --list",
                                "let the .agentctl.toml of the project DIR, as it is now, widen its sandbox",
                                {[trust](const CLI::App&) { return finish_trust(*trust); }});
  command->add_option("DIR", trust->directory, "a project");
  command->add_flag("--remove", trust->remove, "trust DIR no longer");
  command->add_flag("--list", trust->list, "show the projects that are trusted");
}

Result<Command> finish_profile(ProfileOptions& profile, const CLI::App& used) {
  const std::string action = used.get_subcommands().front()->get_name();
  if (action == "show") profile.action = ProfileOptions::Action::show;
  if (action == "new") profile.action = ProfileOptions::Action::make;
  return Command(profile);
}

void add_profile(Verbs& verbs) {
  const auto profile = std::make_shared<ProfileOptions>();
  CLI::App* command =
      verbs.add("profile", "agentctl profile list | show NAME | new [--from NAME] NAME", "list, show or write profiles",
                {[profile](const CLI::App& used) { return finish_profile(*profile, used); }});
  command->require_subcommand(1);
  add_subcommand(*command, "list", "agentctl profile list", "the profiles, whose they are and which agents are found");
  CLI::App* show = add_subcommand(*command, "show", "agentctl profile show NAME", "print the text of a profile");
  show->add_option("NAME", profile->name, "a profile")->required();
  CLI::App* make = add_subcommand(*command, "new", "agentctl profile new [--from NAME] NAME",
                                  "write a profile of your own, with the full path of its agent");
  make->add_option("NAME", profile->name, "its name")->required();
  make->add_option("--from", profile->from, "the profile to start from (default: the one of that name)");
}

}  // namespace

void add_policy_commands(Verbs& verbs) {
  add_explain(verbs);
  add_trust(verbs);
  add_profile(verbs);
}

}  // namespace agentctl::manager::command_line
