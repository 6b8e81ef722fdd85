// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <cerrno>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "bwrap/agent_readme.h"
#include "bwrap/host_facts.h"
#include "bwrap/host_look.h"
#include "bwrap/path_remarks.h"
#include "bwrap/path_resolution.h"
#include "bwrap/plan_builder.h"
#include "manager/commands.h"
#include "manager/exit_status.h"
#include "manager/explanation.h"
#include "manager/places_in_use.h"
#include "manager/policy_layers.h"

namespace agentctl::manager {
namespace {

// Every sandbox has it, and it needs nothing that is not shown anyway: what is explained without a command is explained
// for a session that brings nothing in.
constexpr const char* kAnyCommand = "/bin/sh";

// ".." in front is what the kernel makes of it here; elsewhere it stays, for inside it depends on the links before it.
std::string absolute(std::string subject, const std::string& home, std::string current) {
  if (subject == "~" || subject.starts_with("~/")) return home + subject.substr(1);
  if (subject == ".." || subject.starts_with("../")) current = bwrap::resolve_path(current).canonical.str();
  for (; subject == ".." || subject.starts_with("../"); subject.erase(0, 3)) current = bwrap::parent_path(current);
  std::string path;
  for (const std::string& part : split(subject.starts_with('/') ? subject : bwrap::join_path(current, subject), '/')) {
    if (!part.empty() && part != ".") path += cat("/", part);
  }
  return path.empty() ? "/" : path;
}

bool names_a_file(const std::string& subject, const std::string& current) {
  struct stat status {};
  return ::lstat(bwrap::join_path(current, subject).c_str(), &status) == 0;
}

// What the rules say does not hang on the program: where that is not here, they are explained without what it would
// bring in.
Result<bwrap::HostFacts> gather_facts(const std::string& project, LayeredPolicy& layered, bwrap::HostMounts& mounts) {
  auto found = bwrap::gather_host_facts({project, layered.command, layered.policy, &mounts});
  const bool is_missing = !found && found.error().kind == ErrorKind::environment &&
                          (found.error().sys_errno == ENOENT || found.error().sys_errno == EACCES);
  if (!is_missing) return found;
  layered.warnings.push_back(cat("command: ", found.error().message, "; explained without it"));
  return bwrap::gather_host_facts({project, {kAnyCommand}, layered.policy, &mounts});
}

bwrap::LookAtHost look_at(bwrap::HostMounts& mounts) {
  return [&mounts](const std::string& name) {
    return mounts.find_silent(name) ? bwrap::HostEntry{.kind = bwrap::HostEntry::Kind::unreachable, .target = {}}
                                    : bwrap::look_at_host(name);
  };
}

}  // namespace

Result<int> run_explain(const ExplainOptions& options) {
  const StartOptions& start = options.start;
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  AGENTCTL_TRY_VOID(check_places_in_use(start.project, mounts));
  const std::string current = AGENTCTL_TRY(current_directory());
  const std::string project = bwrap::expand_path(start.project.empty() ? current : start.project, "", current);
  LayeredPolicy layered = AGENTCTL_TRY(load_layers(start, project));
  if (layered.command.empty()) layered.command = {kAnyCommand};
  const bwrap::HostFacts facts = AGENTCTL_TRY(gather_facts(project, layered, mounts));
  AGENTCTL_TRY_VOID(check_same_project(layered, facts.project.canonical.str()));
  bwrap::Plan plan = AGENTCTL_TRY(bwrap::build_plan(layered.policy, facts));
  bwrap::add_agent_readme(policy::home_mode(layered.policy.files), std::nullopt, plan);

  std::string text;
  if (options.subject.empty()) {
    ExplainedStart explained{layered.profile, facts.project.logical.str(), layered.command, layered.warnings};
    explained.warnings.insert(explained.warnings.end(), plan.warnings.begin(), plan.warnings.end());
    const auto rules = policy::list_rules(layered.policy, facts.machine);
    text = start.json ? policy_json(explained, rules) : policy_text(explained, rules);
  } else {
    const SubjectKind kind = names_a_file(options.subject, current) ? SubjectKind::path : kind_of(options.subject);
    const std::string path = absolute(options.subject, facts.home.path.str(), current);
    std::optional<ExplainedPath> explained;
    if (kind != SubjectKind::host) {
      AGENTCTL_TRY_VOID(bwrap::give_up_overriding_permissions());
      explained.emplace(ExplainedPath{path, bwrap::explain_path(plan, path, look_at(mounts)), {}});
      explained->remarks = bwrap::path_remarks(layered.policy.files, facts, path, explained->answer);
    }
    if (kind == SubjectKind::path) {
      text = start.json ? path_json(*explained) : path_text(*explained);
    } else {
      const HostAnswer answer = explain_host(layered.policy, options.subject);
      text = start.json ? host_json(options.subject, answer, explained) : host_text(options.subject, answer, explained);
    }
  }
  AGENTCTL_TRY_VOID(write_all(1, text));
  return kExitSuccess;
}

}  // namespace agentctl::manager
