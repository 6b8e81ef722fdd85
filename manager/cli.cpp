// SPDX-License-Identifier: Apache-2.0
#include "manager/cli.h"
#include "manager/limit_help.h"

#include <algorithm>
#include <exception>
#include <memory>

#include <CLI/CLI.hpp>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/supervisor.h"
#include "policy/limit_setting.h"
#include "policy/nearest_name.h"

namespace agentctl::manager {
namespace {

constexpr const char* kStartFooter =
    "Options after COMMAND belong to COMMAND. Examples:\n"
    "  agentctl start claude\n"
    "  agentctl start --memory-max 8G --net none -- make test\n"
    "  agentctl start --dry-run claude";

// CLI11 of Debian 12 makes a usage line of its own that leaves COMMAND out.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override { return cat("Usage: ", usage_, "\n"); }

 private:
  std::string usage_;
};

CLI::App* add_command(CLI::App& app, const char* name, const char* usage, const char* help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->formatter(std::make_shared<UsageFormatter>(usage));
  return command;
}

struct Texts {
  std::string manager = "auto";
  std::string grace = "10s";
};

// What makes the sandbox: the same for what starts it and for what explains it.
void add_sandbox_options(CLI::App* command, StartOptions& start) {
  command->add_option("-p,--profile", start.profile, "policy profile (default: by the command's name)");
  command->add_option("-C,--project", start.project, "project directory");
  for (const std::string_view key : policy::limit_keys()) {
    const auto store = [&start, name = std::string(key)](const std::string& value) {
      start.limits.emplace_back(name, value);
    };
    command->add_option_function<std::string>(cat("--", key), store, limit_help(key));
  }
  // One value each time: a plain list would take the words that come after it, too.
  const auto add_list = [command](const char* option, std::vector<std::string>& list, const char* help) {
    const auto store = [&list](const std::string& value) { list.push_back(value); };
    command->add_option_function<std::string>(option, store, help)->trigger_on_parse();
  };
  add_list("--ro", start.read_only, "make PATH visible, read-only");
  add_list("--rw", start.read_write, "make PATH visible and writable");
  add_list("--hide", start.hide, "hide PATH");
  add_list("--copy", start.copy, "give the session a copy of the file PATH");
  add_list("--protect", start.protect, "keep PATH read-only where it is visible");
  command->add_option("--home", start.home, "home: private, persistent or read-only");
  add_list("--env", start.env, "pass the variable NAME, or set NAME=VALUE");
  command->add_option("--net", start.network, "network: host or none");
}

void add_start(CLI::App& app, StartOptions& start, Texts& texts) {
  CLI::App* command = add_command(app, "start", "agentctl start [OPTIONS] [--] [COMMAND [ARG…]]",
                                  "run COMMAND in a sandbox, for the project in the current directory");
  command->footer(kStartFooter);
  command->add_option("-n,--name", start.name, "name of the session");
  command->add_flag("-d,--detach", start.detach, "let it run on by itself, and print its name once it runs");
  command->add_option("--parent-pid", start.parent_pid, "end the session when this process ends (default: the caller)");
  command->add_flag("-q,--quiet", start.quiet, "say nothing but errors");
  command->add_flag("--dry-run", start.dry_run, "print the plan and start nothing");
  command->add_flag("--json", start.json, "with --dry-run or --detach: print as JSON");
  command->add_flag("--no-limits", start.no_limits, "run without a scope and its limits");
  command->add_option("--manager", texts.manager, "service manager: auto, user, system or private");
  add_sandbox_options(command, start);
}

void add_explain(CLI::App& app, ExplainOptions& explain) {
  CLI::App* command =
      add_command(app, "explain", "agentctl explain [OPTIONS] [PATH|HOST]",
                  "show the policy of a start with the origin of every rule, or what it makes of PATH or HOST");
  command->add_option("SUBJECT", explain.subject, "a path (./NAME for a bare name), or a host");
  command->add_flag("--json", explain.start.json, "as JSON");
  add_sandbox_options(command, explain.start);
}

void add_trust(CLI::App& app, TrustOptions& trust) {
  CLI::App* command = add_command(app, "trust", "agentctl trust [--remove] DIR | --list",
                                  "let the .agentctl.toml of the project DIR, as it is now, widen its sandbox");
  command->add_option("DIR", trust.directory, "a project");
  command->add_flag("--remove", trust.remove, "trust DIR no longer");
  command->add_flag("--list", trust.list, "show the projects that are trusted");
}

void add_profile(CLI::App& app, ProfileOptions& profile) {
  CLI::App* command = add_command(app, "profile", "agentctl profile list | show NAME | new [--from NAME] NAME",
                                  "list, show or write profiles");
  command->require_subcommand(1);
  add_command(*command, "list", "agentctl profile list", "the profiles, whose they are and which agents are found");
  CLI::App* show = add_command(*command, "show", "agentctl profile show NAME", "print the text of a profile");
  show->add_option("NAME", profile.name, "a profile")->required();
  CLI::App* make = add_command(*command, "new", "agentctl profile new [--from NAME] NAME",
                               "write a profile of your own, with the full path of its agent");
  make->add_option("NAME", profile.name, "its name")->required();
  make->add_option("--from", profile.from, "the profile to start from (default: the one of that name)");
}

// Keys of a policy that have an option of another name.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"--read-only", "--ro"}, {"--read-write", "--rw"}, {"--pass", "--env"},
    {"--set", "--env"},      {"--network", "--net"},   {"--mode", "--net"}};

// An option that nobody knows is told with the nearest that is known.
std::string nearest_option(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const auto named = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == words[0]; });
  if (named.empty()) return {};
  std::vector<std::string> names;
  for (const CLI::Option* option : named.front()->get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(cat("--", name));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& word : words) {
    if (word == "--") break;
    const std::string option = word.substr(0, word.find('='));
    if (!option.starts_with("--") || std::find(names.begin(), names.end(), option) != names.end()) continue;
    for (const auto& [key, name] : kOtherNames) {
      const bool has_it = std::find(names.begin(), names.end(), name) != names.end();
      if (option == key && has_it) return cat("; did you mean '", name, "'?");
    }
    return policy::did_you_mean(option, known);
  }
  return {};
}

// A command may be shortened to any beginning that no other has.
Result<std::string> find_verb(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::vector<std::string> candidates;
  for (const CLI::App* verb : app.get_subcommands({})) {
    names.push_back(verb->get_name());
    if (names.back() == word) return word;
    if (!word.empty() && names.back().starts_with(word)) candidates.push_back(names.back());
  }
  if (candidates.size() == 1) return candidates.front();
  const std::string shown = cat("'", printable(word), "' ");
  if (!candidates.empty()) {
    return make_error(ErrorKind::usage, cat(shown, "is ambiguous"), cat("candidates: ", join(candidates, ", ")));
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  return make_error(ErrorKind::usage, cat(shown, "is not a command of agentctl", policy::did_you_mean(word, known)),
                    "see 'agentctl --help'");
}

// What cannot be meant together is told, not dropped.
Result<void> check_start(const CLI::App& command, const StartOptions& start) {
  if (command.count("--name") > 0 && start.name.empty())
    return make_error(ErrorKind::usage, "--name must not be empty");
  if (start.json && !start.dry_run && !start.detach)
    return make_error(ErrorKind::usage, "start takes --json only with --dry-run or --detach");
  if (!start.no_limits) return {};
  for (const auto& [key, unused] : start.limits) {
    if (key == "runtime-max") continue;  // agentctl's own timer, which needs no scope
    return make_error(ErrorKind::usage, cat("--no-limits must not stand beside --", key, ": nothing would enforce it"));
  }
  if (command.count("--manager") > 0)
    return make_error(ErrorKind::usage, "--no-limits must not stand beside --manager: no manager is asked");
  return {};
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
std::size_t find_command(const CLI::App& start, const std::vector<std::string>& words) {
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--" || word.size() < 2 || word[0] != '-') return at;
    if (word.find('=') != std::string::npos || (word[1] != '-' && word.size() > 2)) continue;
    const CLI::Option* option = start.get_option_no_throw(word);
    if (option != nullptr && option->get_items_expected_max() > 0) ++at;
  }
  return words.size();
}

// CLI11 takes "--" for the value of an option before it; the user has forgotten that value.
Result<void> check_values(const CLI::App& verb, const std::vector<std::string>& words) {
  for (std::size_t at = 0; at + 1 < words.size() && words[at] != "--"; ++at) {
    const CLI::Option* option = words[at].starts_with('-') ? verb.get_option_no_throw(words[at]) : nullptr;
    if (option == nullptr || option->get_items_expected_max() == 0) continue;
    if (words[++at] != "--") continue;
    return make_error(ErrorKind::usage, cat(words[at - 1], " must be followed by a value, not by '--'"),
                      "a file of that name is './--'");
  }
  return {};
}

void add_stop(CLI::App& app, StopOptions& stop, Texts& texts) {
  CLI::App* command = add_command(app, "stop", "agentctl stop [--grace TIME | --kill] NAME… | --all",
                                  "end sessions; returns when they are proven gone");
  command->add_option("NAME", stop.names, "sessions to end");
  command->add_flag("--all", stop.all, "all of them");
  command->add_option("--grace", texts.grace, "how long the agent may take to end by itself (default 10s)");
  command->add_flag("--kill", stop.kill, "no grace at all");
}

void add_pause(CLI::App& app, PauseOptions& pause, ResumeOptions& resume) {
  CLI::App* command = add_command(app, "pause", "agentctl pause NAME…",
                                  "have sessions stand still; returns when the kernel says that they do");
  command->add_option("NAME", pause.names, "sessions to pause")->required();
  command = add_command(app, "resume", "agentctl resume NAME…", "have paused sessions go on");
  command->add_option("NAME", resume.names, "sessions to resume")->required();
}

void add_set(CLI::App& app, SetOptions& set) {
  CLI::App* command = add_command(app, "set", "agentctl set [--force] NAME LIMIT=VALUE…",
                                  "change limits of a running session; returns when the kernel keeps them");
  command->add_option("NAME", set.name, "a session, or the beginning of its name")->required();
  command->add_option("LIMIT", set.limits, "a limit and its value, e.g. memory-max=12G")->required();
  command->add_flag("--force", set.force, "set memory-max below what is in use, too");
}

void add_exec(CLI::App& app, ExecOptions& exec) {
  CLI::App* command = add_command(app, "exec", "agentctl exec NAME [--] COMMAND [ARG…]",
                                  "run one more program in a session, behind the same walls and limits");
  command->add_option("NAME", exec.name, "a session, or the beginning of its name")->required();
}

void add_attach(CLI::App& app, AttachOptions& attach) {
  CLI::App* command = add_command(app, "attach", "agentctl attach [--read-only | --take-over] NAME",
                                  "put the agent's own terminal on this one; detach with C-] d");
  command->add_option("NAME", attach.name, "a session, or the beginning of its name")->required();
  command->add_flag("--read-only", attach.read_only, "only watch");
  command->add_flag("--take-over", attach.take_over, "type here, even if another terminal does");
}

void add_logs(CLI::App& app, LogsOptions& logs) {
  CLI::App* command = add_command(app, "logs", "agentctl logs [-f] [--raw] NAME",
                                  "show what a session's terminal has shown, as text; also after its end");
  command->add_option("NAME", logs.name, "a session's name or id, or the beginning of its name")->required();
  command->add_flag("-f,--follow", logs.follow, "go on with what comes, until the session ends");
  command->add_flag("--raw", logs.raw, "every byte; not to a terminal");
}

void add_queries(CLI::App& app, StatusOptions& status, CgroupOptions& cgroup, ReceiptOptions& receipt) {
  CLI::App* command = add_command(app, "status", "agentctl status [--json] [--watch | --all] [NAME]",
                                  "show the sessions that run, or everything about one");
  command->add_option("NAME", status.name, "a session, or the beginning of its name");
  command->add_flag("--json", status.json, "as JSON");
  command->add_flag("-a,--all", status.all, "those that have ended, too, by their receipts");
  command->add_flag("-w,--watch", status.watch, "go on until q or Ctrl-C, once a second");
  command = add_command(app, "cgroup", "agentctl cgroup NAME", "print a session's cgroup directory, for tracers");
  command->add_option("NAME", cgroup.name, "a session, or the beginning of its name")->required();
  command =
      add_command(app, "receipt", "agentctl receipt [--json] [NAME]",
                  "list the sessions that have ended, or show how one went, and what of its files the host may run");
  command->add_option("NAME", receipt.name, "a session's name or id, or the beginning of its name");
  command->add_flag("--json", receipt.json, "as JSON");
}

}  // namespace

Result<Command> parse_command_line(int argc, char** argv) try {
  if (argc == 2 && std::string_view(argv[1]) == kSuperviseVerb) return Command(SuperviseOptions{});
  CLI::App app("Runs AI coding agents in a sandbox, inside a systemd scope with proven limits.", "agentctl");
  app.require_subcommand(1);
  app.set_version_flag("--version", "agentctl " AGENTCTL_VERSION);
  StartOptions start;
  StopOptions stop;
  PauseOptions pause;
  ResumeOptions resume;
  SetOptions set;
  ExecOptions exec;
  AttachOptions attach;
  LogsOptions logs;
  StatusOptions status;
  CgroupOptions cgroup;
  ReceiptOptions receipt;
  ExplainOptions explain;
  TrustOptions trust;
  ProfileOptions profile;
  Texts texts;
  add_start(app, start, texts);
  add_stop(app, stop, texts);
  add_pause(app, pause, resume);
  add_set(app, set);
  add_exec(app, exec);
  add_attach(app, attach);
  add_logs(app, logs);
  add_queries(app, status, cgroup, receipt);
  add_explain(app, explain);
  add_trust(app, trust);
  add_profile(app, profile);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && !words[0].starts_with('-')) words[0] = AGENTCTL_TRY(find_verb(app, words[0]));
  if (!words.empty() && words[0] == "start") {
    const auto rest = std::vector<std::string>(words.begin() + 1, words.end());
    const std::size_t own = find_command(*app.get_subcommand("start"), rest);
    const std::size_t from = own < rest.size() && rest[own] == "--" ? own + 1 : own;
    start.command.assign(rest.begin() + static_cast<std::ptrdiff_t>(from), rest.end());
    words.resize(own + 1);
  }
  if (words.size() > 2 && words[0] == "exec" && !words[1].starts_with('-')) {
    exec.command.assign(words.begin() + (words[2] == "--" ? 3 : 2), words.end());
    words.resize(2);
  }
  if (!words.empty() && !words[0].starts_with('-')) {
    AGENTCTL_TRY_VOID(check_values(*app.get_subcommand(words[0]), {words.begin() + 1, words.end()}));
  }
  const std::vector<std::string> typed = words;
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants a vector
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto used = app.get_subcommands();
    if (used.empty()) return Command(TextToPrint{app.help()});
    const auto deeper = used.front()->get_subcommands();
    return Command(TextToPrint{deeper.empty() ? used.front()->help() : deeper.front()->help()});
  } catch (const CLI::CallForVersion& version) {
    return Command(TextToPrint{cat(version.what(), "\n")});
  } catch (const CLI::ParseError& error) {
    return make_error(ErrorKind::usage, cat(printable(error.what()), nearest_option(app, typed)),
                      "see 'agentctl --help' and 'agentctl COMMAND --help'");
  }

  const CLI::App* used = app.get_subcommands().front();
  if (used->get_name() == "start") {
    AGENTCTL_TRY_VOID(check_start(*used, start));
    start.manager = AGENTCTL_TRY(units::parse_manager_kind(texts.manager));
    if (start.detach) AGENTCTL_TRY_VOID(check_detach(start));
    start.words.assign(argv + 1, argv + argc);
    return Command(start);
  }
  if (used->get_name() == "stop") {
    auto grace = parse_duration(texts.grace);
    if (!grace) {
      grace.error().kind = ErrorKind::usage;
      return with_context("--grace", std::move(grace)).error();
    }
    if (stop.kill && used->count("--grace") > 0)
      return make_error(ErrorKind::usage, "--kill must not stand beside --grace: it gives none");
    stop.grace_usec = stop.kill ? 0 : *grace;
    if (stop.names.empty() != stop.all) return make_error(ErrorKind::usage, "stop needs either a NAME or --all");
    return Command(stop);
  }
  if (used->get_name() == "pause") return Command(pause);
  if (used->get_name() == "resume") return Command(resume);
  if (used->get_name() == "exec") {
    if (exec.command.empty()) return make_error(ErrorKind::usage, "exec needs a COMMAND after the session's NAME");
    return Command(exec);
  }
  if (used->get_name() == "set") return Command(set);
  if (used->get_name() == "status") {
    if (status.all && status.watch) return make_error(ErrorKind::usage, "--watch must not stand beside --all");
    if (status.all && !status.name.empty())
      return make_error(ErrorKind::usage, "status takes --all only without a NAME", "see 'agentctl receipt NAME'");
    return Command(status);
  }
  if (used->get_name() == "attach") {
    if (attach.read_only && attach.take_over)
      return make_error(ErrorKind::usage, "--read-only must not stand beside --take-over: it types nothing");
    return Command(attach);
  }
  if (used->get_name() == "logs") return Command(logs);
  if (used->get_name() == "receipt") return Command(receipt);
  if (used->get_name() == "explain") return Command(explain);
  if (used->get_name() == "trust") {
    if (trust.directory.empty() != trust.list || (trust.list && trust.remove)) {
      return make_error(ErrorKind::usage, "trust needs either a DIR or --list");
    }
    return Command(trust);
  }
  if (used->get_name() == "profile") {
    const std::string action = used->get_subcommands().front()->get_name();
    if (action == "show") profile.action = ProfileOptions::Action::show;
    if (action == "new") profile.action = ProfileOptions::Action::make;
    return Command(profile);
  }
  return Command(cgroup);
} catch (const std::exception& exception) {
  return make_error(ErrorKind::internal, cat("cannot read the command line: ", exception.what()));
}

}  // namespace agentctl::manager
