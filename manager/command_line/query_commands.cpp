// SPDX-License-Identifier: Apache-2.0
// What is asked of sessions, of those that have ended too.
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

Result<Command> finish_logs(const LogsOptions& logs) {
  if (logs.raw && logs.net) return make_error(ErrorKind::usage, "--raw must not stand beside --net");
  if (logs.json && !logs.net) return make_error(ErrorKind::usage, "logs takes --json only with --net");
  return Command(logs);
}

void add_logs(Verbs& verbs) {
  const auto logs = std::make_shared<LogsOptions>();
  CLI::App* command = verbs.add("logs", "agentctl logs [-f] [--raw | --net [--json]] NAME",
                                "show what a session's terminal has shown, as text; also after its end",
                                {[logs](const CLI::App&) { return finish_logs(*logs); }});
  command->add_option("NAME", logs->name, "a session's name or id, or the beginning of its name")->required();
  command->add_flag("-f,--follow", logs->follow, "go on with what comes, until the session ends");
  command->add_flag("--raw", logs->raw, "every byte; not to a terminal");
  command->add_flag("--net", logs->net,
                    "instead what was allowed and denied with --net allowlist, a line of JSON each");
  command->add_flag("--json", logs->json, "with --net: to a terminal, too, where it would be text");
  command->footer(
      "Examples:\n"
      "  agentctl logs -f claude-webshop\n"
      "  agentctl logs --net claude-webshop | jq -r 'select(.verdict == \"denied\") | .host'");
}

Result<Command> finish_status(const StatusOptions& status) {
  if (status.all && status.watch) return make_error(ErrorKind::usage, "--watch must not stand beside --all");
  if (status.all && !status.name.empty())
    return make_error(ErrorKind::usage, "status takes --all only without a NAME", "see 'agentctl receipt NAME'");
  return Command(status);
}

void add_status(Verbs& verbs) {
  const auto status = std::make_shared<StatusOptions>();
  CLI::App* command = verbs.add("status", "agentctl status [--json] [--watch | --all] [NAME]",
                                "show the sessions that run, or everything about one",
                                {[status](const CLI::App&) { return finish_status(*status); }});
  command->add_option("NAME", status->name, "a session, or the beginning of its name");
  command->add_flag("--json", status->json, "as JSON");
  command->add_flag("-a,--all", status->all, "those that have ended, too, by their receipts");
  command->add_flag("-w,--watch", status->watch, "go on until q or Ctrl-C, once a second");
}

void add_cgroup(Verbs& verbs) {
  const auto cgroup = std::make_shared<CgroupOptions>();
  CLI::App* command =
      verbs.add("cgroup", "agentctl cgroup NAME", "print a session's cgroup directory, for tracers", plain(cgroup));
  command->add_option("NAME", cgroup->name, "a session, or the beginning of its name")->required();
}

void add_receipt(Verbs& verbs) {
  const auto receipt = std::make_shared<ReceiptOptions>();
  CLI::App* command =
      verbs.add("receipt", "agentctl receipt [--json] [NAME]",
                "list the sessions that have ended, or show how one went, and what of its files the host may run",
                plain(receipt));
  command->add_option("NAME", receipt->name, "a session's name or id, or the beginning of its name");
  command->add_flag("--json", receipt->json, "as JSON");
}

}  // namespace

void add_query_commands(Verbs& verbs) {
  add_logs(verbs);
  add_status(verbs);
  add_cgroup(verbs);
  add_receipt(verbs);
}

}  // namespace agentctl::manager::command_line
