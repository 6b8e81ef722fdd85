// SPDX-License-Identifier: Apache-2.0
// What is done to a session that runs.
#include "base/quantity.h"
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

struct Stop {
  StopOptions options;
  std::string grace = "10s";
};

Result<Command> finish_stop(Stop& stop, const CLI::App& used) {
  StopOptions& options = stop.options;
  auto grace = parse_duration(stop.grace);
  if (!grace) {
    grace.error().kind = ErrorKind::usage;
    return with_context("--grace", std::move(grace)).error();
  }
  if (options.kill && used.count("--grace") > 0)
    return make_error(ErrorKind::usage, "--kill must not stand beside --grace: it gives none");
  options.grace_usec = options.kill ? 0 : *grace;
  if (options.names.empty() != options.all) return make_error(ErrorKind::usage, "stop needs either a NAME or --all");
  return Command(options);
}

void add_stop(Verbs& verbs) {
  const auto stop = std::make_shared<Stop>();
  CLI::App* command = verbs.add("stop", "agentctl stop [--grace TIME | --kill] NAME… | --all",
                                "end sessions; returns when they are proven gone",
                                {[stop](const CLI::App& used) { return finish_stop(*stop, used); }});
  command->add_option("NAME", stop->options.names, "sessions to end");
  command->add_flag("--all", stop->options.all, "all of them");
  command->add_option("--grace", stop->grace, "how long the agent may take to end by itself (default 10s)");
  command->add_flag("--kill", stop->options.kill, "no grace at all");
}

void add_pause(Verbs& verbs) {
  const auto pause = std::make_shared<PauseOptions>();
  CLI::App* command = verbs.add("pause", "agentctl pause NAME…",
                                "have sessions stand still; returns when the kernel says that they do", plain(pause));
  command->add_option("NAME", pause->names, "sessions to pause")->required();
  const auto resume = std::make_shared<ResumeOptions>();
  command = verbs.add("resume", "agentctl resume NAME…", "have paused sessions go on", plain(resume));
  command->add_option("NAME", resume->names, "sessions to resume")->required();
}

void add_set(Verbs& verbs) {
  const auto set = std::make_shared<SetOptions>();
  CLI::App* command = verbs.add("set", "agentctl set [--force] NAME LIMIT=VALUE…",
                                "change limits of a running session; returns when the kernel keeps them", plain(set));
  command->add_option("NAME", set->name, "a session, or the beginning of its name")->required();
  command->add_option("LIMIT", set->limits, "a limit and its value, e.g. memory-max=12G")->required();
  command->add_flag("--force", set->force, "set memory-max below what is in use, too");
}

// COMMAND begins after the session's NAME, with "--" before it or not.
void take_command(ExecOptions& exec, Words& words) {
  if (words.size() < 2 || words[0].starts_with('-')) return;
  exec.command.assign(words.begin() + (words[1] == "--" ? 2 : 1), words.end());
  words.resize(1);
}

Result<Command> finish_exec(const ExecOptions& exec) {
  if (exec.command.empty()) return make_error(ErrorKind::usage, "exec needs a COMMAND after the session's NAME");
  return Command(exec);
}

void add_exec(Verbs& verbs) {
  const auto exec = std::make_shared<ExecOptions>();
  CLI::App* command = verbs.add("exec", "agentctl exec NAME [--] COMMAND [ARG…]",
                                "run one more program in a session, behind the same walls and limits",
                                {[exec](const CLI::App&) { return finish_exec(*exec); },
                                 [exec](const CLI::App&, Words& words) { take_command(*exec, words); }});
  command->add_option("NAME", exec->name, "a session, or the beginning of its name")->required();
}

Result<Command> finish_attach(const AttachOptions& attach) {
  if (attach.read_only && attach.take_over)
    return make_error(ErrorKind::usage, "--read-only must not stand beside --take-over: it types nothing");
  return Command(attach);
}

void add_attach(Verbs& verbs) {
  const auto attach = std::make_shared<AttachOptions>();
  CLI::App* command = verbs.add("attach", "agentctl attach [--read-only | --take-over] NAME",
                                "put the agent's own terminal on this one; detach with C-] d",
                                {[attach](const CLI::App&) { return finish_attach(*attach); }});
  command->add_option("NAME", attach->name, "a session, or the beginning of its name")->required();
  command->add_flag("--read-only", attach->read_only, "only watch");
  command->add_flag("--take-over", attach->take_over, "type here, even if another terminal does");
}

}  // namespace

void add_session_commands(Verbs& verbs) {
  add_stop(verbs);
  add_pause(verbs);
  add_set(verbs);
  add_exec(verbs);
  add_attach(verbs);
}

}  // namespace agentctl::manager::command_line
