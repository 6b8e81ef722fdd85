// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "base/text.h"
#include "manager/command_line/sandbox_options.h"
#include "manager/command_line/verbs.h"
#include "units/manager_connection.h"

namespace agentctl::manager::command_line {
namespace {

constexpr const char* kFooter =
    "Options after COMMAND belong to COMMAND. Examples:\n"
    "  agentctl start claude\n"
    "  agentctl start --memory-max 8G --net none -- make test\n"
    "  agentctl start --net allowlist --allow '*.example.com' claude\n"
    "  agentctl start --dry-run claude";

struct Start {
  StartOptions options;
  std::string manager = "auto";
  Words publish;
};

Result<void> check_start(const CLI::App& command, const StartOptions& start) {
  if (command.count("--name") > 0 && start.name.empty())
    return make_error(ErrorKind::usage, "--name must not be empty");
  if (start.json && !start.dry_run && !start.detach)
    return make_error(ErrorKind::usage, "start takes --json only with --dry-run or --detach");
  return check_no_limits(command, start);
}

// What outlives its starter needs a manager that does.
Result<void> check_detach(const StartOptions& start) {
  if (start.manager != units::ManagerKind::private_manager || start.dry_run) return {};
  return make_error(ErrorKind::usage,
                    "--detach must not stand beside --manager private: such a manager ends with its starter",
                    "use your own service manager, --manager user, or start without --detach");
}

// Where COMMAND begins in the words after "start": after "--", or at the first word that is neither an option nor the
// value of one. CLI11 would go on to look for options of ours in what belongs to COMMAND.
std::size_t find_command(const CLI::App& start, const Words& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--" || word.size() < 2 || word[0] != '-') return at;
    if (word.find('=') != std::string::npos || (word[1] != '-' && word.size() > 2)) continue;
    const CLI::Option* option = start.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_max() > 0) ++at;
  }
  return words.size();
}

void take_command(StartOptions& options, const CLI::App& verb, Words& words) {
  options.words = words;
  options.words.insert(options.words.begin(), verb.get_name());
  const std::size_t own = find_command(verb, words);
  const std::size_t from = own < words.size() && words[own] == "--" ? own + 1 : own;
  options.command.assign(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
  words.resize(own);
}

Result<Command> finish(Start& start, const CLI::App& used) {
  AGENTCTL_TRY_VOID(check_start(used, start.options));
  start.options.manager = AGENTCTL_TRY(units::parse_manager_kind(start.manager));
  for (const std::string& port : start.publish) {
    start.options.publish.push_back(AGENTCTL_TRY(with_context("--publish", policy::parse_publication(port))));
  }
  if (start.options.detach) AGENTCTL_TRY_VOID(check_detach(start.options));
  return Command(start.options);
}

}  // namespace

void add_start(Verbs& verbs) {
  const auto start = std::make_shared<Start>();
  StartOptions& options = start->options;
  CLI::App* command =
      verbs.add("start", "agentctl start [OPTIONS] [--] [COMMAND [ARG…]]",
                "run COMMAND in a sandbox, for the project in the current directory",
                {[start](const CLI::App& used) { return finish(*start, used); },
                 [start](const CLI::App& verb, Words& words) { take_command(start->options, verb, words); }});
  command->footer(kFooter);
  command->add_option("-n,--name", options.name, "name of the session");
  const auto publish = [start](const std::string& port) { start->publish.push_back(port); };
  command
      ->add_option_function<std::string>("--publish", publish,
                                         "reach the session's PORT on this machine: [HOST-PORT:]PORT")
      ->trigger_on_parse();
  command->add_flag("-d,--detach", options.detach, "let it run on by itself, and print its name once it runs");
  command->add_option("--parent-pid", options.parent_pid,
                      "end the session when this process ends (default: the caller)");
  command->add_flag("-q,--quiet", options.quiet, "say nothing but errors");
  command->add_flag("--dry-run", options.dry_run, "print the plan and start nothing");
  command->add_flag("--json", options.json, "with --dry-run or --detach: print as JSON");
  command->add_flag("--no-limits", options.no_limits, "run without a scope and its limits");
  command->add_option("--manager", start->manager, "service manager: auto, user, system or private");
  add_sandbox_options(*command, options);
}

}  // namespace agentctl::manager::command_line
