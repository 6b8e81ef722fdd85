// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "bwrap/agent_readme.h"
#include "bwrap/host_facts.h"
#include "bwrap/machine_size.h"
#include "bwrap/plan_builder.h"
#include "manager/agent_search.h"
#include "manager/commands.h"
#include "manager/detached_start.h"
#include "manager/dry_run.h"
#include "manager/end_report.h"
#include "manager/exit_status.h"
#include "manager/notice.h"
#include "manager/outer_session.h"
#include "manager/places_in_use.h"
#include "manager/policy_layers.h"
#include "manager/registry.h"
#include "manager/scope_limits.h"
#include "manager/session.h"
#include "manager/stale_caches.h"
#include "manager/state_dirs.h"
#include "manager/waiting_caller.h"
#include "policy/limits.h"
#include "policy/profiles.h"

namespace agentctl::manager {
namespace {

// The agents that we know and that this user has, for a `start` that names none.
Error no_command(const std::string& config_dir, bwrap::HostMounts& mounts) {
  bwrap::PathResolver resolver(&mounts);
  std::vector<std::string> found;
  for (const std::string& name : policy::profile_names(config_dir)) {
    if (!find_agent(name, resolver).empty()) found.push_back(name);
  }
  return make_error(ErrorKind::usage, "start needs a COMMAND, or [agent] command in a policy",
                    found.empty()
                        ? "no agent that agentctl knows is in your PATH"
                        : cat("found here: ", join(found, ", "), "; try 'agentctl start ", found.front(), "'"));
}

// Last of all, when everybody who waits for the session's end has been told of it.
void clear_caches() {
  const auto state = state_dir_path();
  if (!state) return;
  std::optional<bwrap::HostMounts> mounts;
  Listing listing;
  const auto may_look = [&](const std::string& project) {
    if (!mounts) {
      auto read = bwrap::HostMounts::read();
      if (!read) return false;
      mounts.emplace(std::move(*read));
      listing = list_sessions();
    }
    const auto is_there = [&](const KnownSession& session) { return session.record.project == project; };
    return !mounts->find_silent(project) && std::none_of(listing.sessions.begin(), listing.sessions.end(), is_there);
  };
  remove_stale_caches({.directory = *state + "/caches", .now_usec = realtime_usec(), .may_look = may_look});
}

// What the policy publishes besides; where the network is the host's, its ports are there already.
void add_published(const policy::Policy& policy, SessionRequest& request) {
  if (request.plan.network == policy::NetworkMode::host) return;
  for (const policy::Entry& entry : policy.hosts.publish) {
    const auto wanted = policy::parse_publication(entry.text);
    const bool is_new =
        wanted && std::find(request.publish.begin(), request.publish.end(), *wanted) == request.publish.end();
    if (is_new) request.publish.push_back(*wanted);
  }
}

}  // namespace

Result<int> run_start(const StartOptions& options, WaitingCaller* caller) {
  if (!options.dry_run) AGENTCTL_TRY_VOID(check_no_outer_session());
  if (options.detach && !options.dry_run && caller == nullptr) return start_detached(options);
  std::optional<units::ScopeBroker> broker;
  if (!options.dry_run && !options.no_limits) {
    broker.emplace(AGENTCTL_TRY(units::ScopeBroker::fork()));
    AGENTCTL_TRY_VOID(broker->begin_connect(options.manager, units::Deadlines{}));
  }
  bwrap::HostMounts mounts = AGENTCTL_TRY(bwrap::HostMounts::read());
  AGENTCTL_TRY_VOID(check_places_in_use(options.project, mounts));
  const std::string current = AGENTCTL_TRY(current_directory());
  const std::string project = bwrap::expand_path(options.project.empty() ? current : options.project, "", current);
  const LayeredPolicy layered = AGENTCTL_TRY(load_layers(options, project));
  if (layered.command.empty()) return no_command(AGENTCTL_TRY(config_dir_path()), mounts);

  const policy::MachineSize machine = bwrap::read_machine_size();
  const policy::Limits limits = policy::resolve_limits(layered.policy.limits, machine);
  std::optional<EarlyScope> scope;
  if (!options.dry_run) {
    scope.emplace(AGENTCTL_TRY(begin_scope(std::move(broker), caller == nullptr ? "" : caller->session_id(),
                                           layered.command[0], to_scope_limits(limits))));
  }

  SessionRequest request;
  auto facts = bwrap::gather_host_facts(
      {project, layered.command, layered.policy, &mounts, options.dry_run ? nullptr : &request.new_matches});
  if (!facts && facts.error().kind == ErrorKind::environment &&
      (facts.error().sys_errno == ENOENT || facts.error().sys_errno == EACCES)) {
    const bool typed = !options.command.empty() && options.command.front() == layered.command.front();
    if (!typed && facts.error().hint.empty()) {
      facts.error().hint = cat("the profile '", layered.profile, "' names that program: mend it there");
    }
    print_error(facts.error());
    return facts.error().sys_errno == ENOENT ? kExitNotFound : kExitCannotExecute;
  }
  if (!facts) return std::move(facts).error();
  AGENTCTL_TRY_VOID(check_same_project(layered, facts->project.canonical.str()));
  request.plan = AGENTCTL_TRY(bwrap::build_plan(layered.policy, *facts));
  bwrap::add_agent_readme(policy::home_mode(layered.policy.files),
                          options.no_limits ? std::nullopt : std::optional(limits), request.plan);
  request.plan.warnings.insert(request.plan.warnings.end(), layered.warnings.begin(), layered.warnings.end());
  request.project = facts->project.canonical;
  request.limits = limits;
  request.budget = policy::resolve_budget(layered.policy.budget, machine);
  request.profile = layered.profile;
  request.name = options.name;
  request.filters_output = !layered.policy.terminal.filter || layered.policy.terminal.filter->value;
  request.parent_pid = options.parent_pid;
  request.quiet = options.quiet;
  request.publish = options.publish;
  add_published(layered.policy, request);
  if (request.plan.network == policy::NetworkMode::allowlist)
    request.door = AGENTCTL_TRY(plan_door(layered.policy.hosts, facts->environment));
  request.caller = caller;
  if (caller != nullptr) request.own_terminal = caller->window();
  if (options.dry_run) return print_dry_run(request, options);

  const SessionReport report = AGENTCTL_TRY(run_session(std::move(request), std::move(*scope)));
  const EndReport end = report_end(report.record, report.outcome, options.quiet);
  for (const std::string& line : end.lines) notice(line);
  clear_caches();
  return end.exit_status;
}

}  // namespace agentctl::manager
