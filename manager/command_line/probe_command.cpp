// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "manager/command_line/sandbox_options.h"
#include "manager/command_line/verbs.h"

namespace agentctl::manager::command_line {
namespace {

constexpr const char* kFooter =
    "Nothing that it tries does harm where it succeeds. Examples:\n"
    "  agentctl probe\n"
    "  agentctl probe -p claude --net host\n"
    "  agentctl probe --against 'bwrap --ro-bind / / --bind \"$PWD\" \"$PWD\" --unshare-pid --tmpfs /tmp'";

struct Probe {
  ProbeOptions options;
  std::string manager = "auto";
};

// What makes a sandbox means nothing where none is made.
Result<void> check_alone(const CLI::App& used, const ProbeOptions& probe) {
  const int targets = (probe.session.empty() ? 0 : 1) + (probe.against.empty() ? 0 : 1) + (probe.self_test ? 1 : 0) +
                      (probe.list ? 1 : 0);
  if (targets > 1) return make_error(ErrorKind::usage, "probe takes one of NAME, --against, --self-test and --list");
  if (used.count("--against") > 0 && probe.against.empty())
    return make_error(ErrorKind::usage, "--against must be followed by a command line");
  if (targets == 0) return {};
  for (const CLI::Option* option : used.get_options()) {
    const std::string name = option->get_lnames().empty() ? std::string() : option->get_lnames().front();
    if (option->count() == 0 || name.empty() || name == "json" || name == "against" || name == "self-test" ||
        name == "list") {
      continue;
    }
    return make_error(ErrorKind::usage,
                      cat("--", name,
                          " must not stand beside NAME, --against, --self-test or --list: it is for a "
                          "sandbox that is made for the probe"));
  }
  return {};
}

Result<Command> finish(Probe& probe, const CLI::App& used) {
  AGENTCTL_TRY_VOID(check_alone(used, probe.options));
  AGENTCTL_TRY_VOID(check_no_limits(used, probe.options.start));
  probe.options.start.manager = AGENTCTL_TRY(units::parse_manager_kind(probe.manager));
  return Command(probe.options);
}

}  // namespace

void add_probe(Verbs& verbs) {
  const auto probe = std::make_shared<Probe>();
  ProbeOptions& options = probe->options;
  CLI::App* command = verbs.add("probe", "agentctl probe [OPTIONS] [NAME]",
                                "try to break out of a sandbox as start would make it, or of the session NAME",
                                {[probe](const CLI::App& used) { return finish(*probe, used); }});
  command->footer(kFooter);
  command->add_option("NAME", options.session, "a session, or the beginning of its name");
  command->add_option("--against", options.against, "try a bwrap command line of your own, as one word");
  command->add_flag("--self-test", options.self_test, "try without a sandbox: whatever can be tried must fail");
  command->add_flag("--list", options.list, "what would be tried, and nothing is");
  command->add_flag("--json", options.json, "as JSON");
  command->add_flag("--no-limits", options.start.no_limits, "as start does");
  command->add_option("--manager", probe->manager, "service manager: auto, user, system or private");
  add_sandbox_options(*command, options.start);
}

}  // namespace agentctl::manager::command_line
