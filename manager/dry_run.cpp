// SPDX-License-Identifier: Apache-2.0
#include "manager/dry_run.h"

#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "base/text.h"
#include "bwrap/argv.h"
#include "manager/exit_status.h"
#include "manager/limits_json.h"
#include "manager/scope_limits.h"
#include "policy/choice.h"

namespace agentctl::manager {
namespace {

// Numbers that stand for the descriptors of a real start, so that the line shows where each would be used.
bwrap::BwrapFds example_descriptors(const bwrap::Plan& plan) {
  bwrap::BwrapFds fds;
  fds.project = 10;
  fds.stage = 11;
  fds.block = 12;
  fds.seccomp = {13, 14};
  for (const bwrap::Operation& operation : plan.operations) {
    if (bwrap::has_content(operation)) fds.copies.push_back(15 + static_cast<int>(fds.copies.size()));
  }
  return fds;
}

std::string environment_names(const bwrap::Plan& plan) {
  std::vector<std::string> names;  // values may be secrets
  for (const std::string& variable : plan.environment) names.push_back(variable.substr(0, variable.find('=')));
  return printable(join(names, " "));
}

std::vector<std::string> texts(const std::vector<egress::AccessRule>& rules) {
  std::vector<std::string> words;
  for (const egress::AccessRule& rule : rules) words.push_back(policy::to_string(rule.rule));
  return words;
}

std::string network_text(const SessionRequest& request) {
  std::string text = cat("network      ", policy::to_string(request.plan.network));
  if (!request.door) return text + "\n";
  const std::string upstream = describe_upstream(*request.door);
  text += upstream.empty() ? "\n" : cat(", through the proxy ", upstream, "\n");
  for (const auto& rule : request.door->rules.allowed()) text += cat("allow        ", egress::to_string(rule), "\n");
  for (const auto& rule : request.door->rules.denied()) text += cat("deny         ", egress::to_string(rule), "\n");
  return text;
}

std::string network_json(const SessionRequest& request) {
  JsonObject network;
  network.text("mode", policy::to_string(request.plan.network))
      .list("allow", request.door ? texts(request.door->rules.allowed()) : std::vector<std::string>{})
      .list("deny", request.door ? texts(request.door->rules.denied()) : std::vector<std::string>{});
  const bool has_upstream = request.door && request.door->upstream;
  return network
      .raw("upstream", has_upstream ? json_quote(policy::to_string(request.door->upstream->endpoint)) : "null")
      .str();
}

Record asked_record(const SessionRequest& request, bool no_limits) {
  Record record;
  record.limits = to_scope_limits(request.limits);
  record.unlimited = no_limits;
  record.runtime_max_usec = request.limits.runtime_max_usec;
  return record;
}

}  // namespace

Result<int> print_dry_run(const SessionRequest& request, const StartOptions& options) {
  const bwrap::Plan& plan = request.plan;
  const std::vector<std::string> words = AGENTCTL_TRY(bwrap::render_options(plan, example_descriptors(plan)));
  if (options.json) {
    const std::string object = JsonObject()
                                   .text("profile", request.profile)
                                   .text("project", request.project.str())
                                   .list("command", plan.command)
                                   .text("program", plan.program.str())
                                   .raw("limits", asked_limits_json(asked_record(request, options.no_limits)))
                                   .raw("network", network_json(request))
                                   .list("bwrap", words)
                                   .list("warnings", plan.warnings)
                                   .str();
    AGENTCTL_TRY_VOID(write_all(1, object + "\n"));
    return kExitSuccess;
  }
  const policy::Limits& limits = request.limits;
  std::string text =
      cat("profile      ", request.profile, "\nproject      ", printable(request.project.str()), "\ncommand      ",
          shell_quote(plan.command), "\nprogram      ", printable(plan.program.str()), "\n");
  text += cat("limits       memory-max ", format_size(limits.memory_max),
              limits.memory_high ? cat(", memory-high ", format_size(*limits.memory_high)) : std::string(),
              ", swap-max ", format_size(limits.memory_swap_max), ", cpu-quota ",
              format_cpu_quota(limits.cpu_quota_per_sec_usec), ", cpu-weight ", limits.cpu_weight, ", tasks-max ",
              format_count(limits.tasks_max), limits.io_weight ? cat(", io-weight ", *limits.io_weight) : std::string(),
              ", runtime-max ", format_duration(limits.runtime_max_usec), ", oom ",
              limits.oom == policy::OomMode::session ? "session" : "process", "\n");
  text += network_text(request);
  text += cat("environment  ", environment_names(plan), "\n");
  for (const std::string& warning : plan.warnings) text += cat("warning      ", printable(warning), "\n");
  text += shell_quote(plan.bwrap.str());
  for (const std::string& word : words) text += cat(word.starts_with("--") ? " \\\n    " : " ", shell_quote(word));
  text += cat(" \\\n    -- ", shell_quote(plan.command), "\n");
  AGENTCTL_TRY_VOID(write_all(1, text));
  return kExitSuccess;
}

}  // namespace agentctl::manager
