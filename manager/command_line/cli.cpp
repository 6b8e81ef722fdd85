// SPDX-License-Identifier: Apache-2.0
#include "manager/cli.h"

#include <algorithm>
#include <exception>

#include "base/text.h"
#include "manager/command_line/mistakes.h"
#include "manager/command_line/remote_host.h"
#include "manager/command_line/verbs.h"
#include "manager/remote/remote_command.h"

namespace agentctl::manager {
namespace {

using namespace command_line;

// Whose help was asked for: that of the whole, of a verb, or of a verb below one.
std::string help_text(const CLI::App& app) {
  const CLI::App* asked = &app;
  while (!asked->get_subcommands().empty()) asked = asked->get_subcommands().front();
  return asked->help();
}

}  // namespace

Result<Command> parse_command_line(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == kSuperviseVerb) return Command(SuperviseOptions{});
  if (argc > 2 && argv[1] == kCompleteVerb) return Command(CompleteOptions{{argv + 2, argv + argc}});
  if (argc > 2 && argv[1] == kWindowVerb) return Command(WindowOptions{{argv + 2, argv + argc}});
  Verbs verbs(argc > 1 && argv[1] == std::string_view("start"));
  CLI::App& app = verbs.app();
  Words words(argv + 1, argv + argc);
  const auto host = AGENTCTL_TRY(take_host(words));
  const Words asked = words;
  if (!words.empty() && !words[0].starts_with('-')) {
    words[0] = AGENTCTL_TRY(find_verb(app, words[0]));
    const CLI::App& verb = *app.get_subcommand(words[0]);
    Words rest(words.begin() + 1, words.end());
    if (const auto& take_command = verbs.find(words[0]).take_command) take_command(verb, rest);
    AGENTCTL_TRY_VOID(check_values(verb, rest));
    words.resize(1);
    words.insert(words.end(), rest.begin(), rest.end());
  }
  const Words typed = words;
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants a vector
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return Command(TextToPrint{help_text(app)});
  } catch (const CLI::CallForVersion& version) {
    return Command(TextToPrint{cat(version.what(), "\n")});
  } catch (const CLI::ParseError& error) {
    return make_error(ErrorKind::usage, cat(printable(error.what()), nearest_option(app, typed)),
                      "see 'agentctl --help' and 'agentctl COMMAND --help'");
  }
  const CLI::App& used = *app.get_subcommands().front();
  Command command = AGENTCTL_TRY(verbs.find(used.get_name()).finish(used));
  if (!host) return command;
  AGENTCTL_TRY_VOID(check_remote_verb(used.get_name()));
  RemoteOptions remote{*host, asked, wants_terminal(command), std::holds_alternative<StartOptions>(command)};
  remote.words[0] = used.get_name();  // what was typed may be short for another command there
  return Command(std::move(remote));
} catch (const std::exception& exception) {
  return make_error(ErrorKind::internal, cat("cannot read the command line: ", exception.what()));
}

}  // namespace agentctl::manager
