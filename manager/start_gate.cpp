// SPDX-License-Identifier: Apache-2.0
#include "manager/start_gate.h"

#include <cerrno>

#include "base/log.h"
#include "base/quantity.h"
#include "base/text.h"
#include "bwrap/failure.h"
#include "bwrap/guarded_mount.h"
#include "bwrap/launch_files.h"
#include "bwrap/mount_helper.h"
#include "bwrap/proxy_variables.h"
#include "bwrap/sandbox_proof.h"
#include "manager/budget_proof.h"
#include "manager/limit_proof.h"
#include "manager/session_end.h"
#include "manager/stage_program.h"
#include "units/delegation.h"

namespace agentctl::manager {
namespace {

constexpr const char* kNestedMasks =
    "nested is allowed: a hidden or protected file that is replaced on the host is laid open in mount namespaces that "
    "the "
    "session made before";
static_assert(bwrap::kProxyPort == egress::kDoorPort, "the variables inside lead to where the door listens");
constexpr unsigned kSandboxDeadlineMsec = 10'000;  // bwrap's own work; a dead network mount would hold it for ever

// Empties the scope again unless the gates were passed; systemd then collects it.
class ScopeGuard {
 public:
  explicit ScopeGuard(const Agent& agent) : agent_(agent) {}
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ~ScopeGuard() {
    if (!armed_ || !agent_.cgroup) return;
    if (const auto empty = kill_and_prove_empty(*agent_.cgroup); !empty) log::warn(empty.error().message);
  }
  void dismiss() { armed_ = false; }

 private:
  const Agent& agent_;
  bool armed_ = true;
};

bool asks_for_cpu(const units::ScopeRequest& scope) { return scope.limits.cpu_quota_per_sec_usec != kInfinity; }

// Gate 1: the job is done, and both processes of ours are in a scope of that name, and nowhere else.
Result<units::ScopeStarted> enter_scope(GateRequest& request, Agent& agent) {
  const units::ScopeRequest& scope = request.scope.request;
  units::ScopeStarted started = AGENTCTL_TRY(request.scope.broker->finish_start());
  const units::Membership membership = AGENTCTL_TRY(units::read_membership(agent.bwrap.pid()));
  const std::string& path = membership.unified.empty() ? membership.systemd : membership.unified;
  if (!path.ends_with(cat("/", scope.unit))) {
    return make_error(ErrorKind::bus, cat("process ", agent.bwrap.pid(), " is not in its scope '", scope.unit,
                                          "': it is in '", printable(path), "'"));
  }
  agent.cgroup.emplace(AGENTCTL_TRY(units::Cgroup::open(path)));
  for (const pid_t pid : scope.pids) {
    AGENTCTL_TRY_VOID(units::prove_membership(pid, *agent.cgroup, asks_for_cpu(scope)));
  }
  return started;
}

// Gate 2, beside bwrap's work on the mounts: the manager calls the scope active and its cgroup the one that we found,
// and the kernel enforces what was asked for.
Result<void> prove_scope(GateRequest& request, Agent& agent) {
  const units::ScopeRequest& scope = request.scope.request;
  const std::string group = AGENTCTL_TRY(request.scope.broker->confirm(scope.unit));
  if (agent.cgroup->path() != request.manager->cgroup_prefix() + group) {
    return make_error(ErrorKind::bus, cat("the scope '", scope.unit, "' is said to be in '", printable(group),
                                          "', but its processes are in '", printable(agent.cgroup->path()), "'"));
  }
  if (request.plan.nested) AGENTCTL_TRY_VOID(units::prove_delegation_boundary(*agent.cgroup));
  AGENTCTL_TRY_VOID(prove_limits(request.manager->scopes(), scope, *agent.cgroup));
  const auto warnings =
      AGENTCTL_TRY(prove_budget(request.manager->scopes(), scope.slice, request.budget, *agent.cgroup));
  agent.warnings.insert(agent.warnings.end(), warnings.begin(), warnings.end());
  return {};
}

// Gate 3, first half: who the stage is, and that the sandbox around it is the planned one.
Result<void> prove_stage(GateRequest& request, Agent& agent, std::size_t filters, bwrap::MountHelper& helper) {
  const bwrap::PlannedWalls walls(request.plan);
  std::vector<bwrap::GuardedMount> guarded = bwrap::find_guarded_mounts(request.plan);
  const auto ready = agent.stage.wait_ready(kSandboxDeadlineMsec);
  if (!ready) {
    if (ready.error().sys_errno != ECONNRESET) return ready.error();
    return bwrap::explain_failure(request.streams.take_early_output(), bwrap::read_namespace_switches());
  }
  agent.leader = AGENTCTL_TRY(identify_process(*ready));
  agent.leader_pidfd = AGENTCTL_TRY(open_pidfd(*ready));
  agent.namespaces = AGENTCTL_TRY(bwrap::prove_namespaces(*ready, request.plan));
  AGENTCTL_TRY_VOID(helper.begin(*ready));
  if (agent.nat) AGENTCTL_TRY_VOID(agent.nat->begin(*ready));
  if (agent.door) AGENTCTL_TRY_VOID(agent.door->begin(*ready));
  if (agent.cgroup) {
    const bool with_cpu = asks_for_cpu(request.scope.request);
    for (const pid_t pid : {agent.bwrap.pid(), *ready}) {
      AGENTCTL_TRY_VOID(units::prove_membership(pid, *agent.cgroup, with_cpu));
    }
  }
  AGENTCTL_TRY_VOID(helper.finish());
  // Not sooner, since what is to be watched may lie in what the helper mounts; what is lost before, the proof misses.
  agent.masks = AGENTCTL_TRY(MaskWatch::open(request.plan, std::move(guarded), *ready, std::move(request.new_matches)));
  if (agent.masks && request.plan.nested) agent.warnings.emplace_back(kNestedMasks);
  if (agent.masks) AGENTCTL_TRY_VOID(agent.masks->settle());
  if (const int error = agent.stage.scope_error(); error != 0)
    return errno_error(error, "the sandbox cannot close the host's abstract sockets by Landlock");
  if (agent.nat) AGENTCTL_TRY_VOID(agent.nat->finish());
  if (agent.door) AGENTCTL_TRY_VOID(agent.door->finish());
  return walls.prove(*ready, filters);
}

}  // namespace

Result<std::unique_ptr<Agent>> pass_gates(GateRequest request) {
  const bwrap::HostPath stage_path = AGENTCTL_TRY(find_stage_program());
  std::optional<egress::Nat> nat;
  if (request.plan.network == policy::NetworkMode::nat) nat.emplace(AGENTCTL_TRY(egress::Nat::prepare()));
  if (request.plan.network == policy::NetworkMode::allowlist && !request.door)
    return make_error(ErrorKind::internal, "a session with an allowlist has no door");
  auto files = AGENTCTL_TRY(bwrap::LaunchFiles::open(request.plan, request.project, stage_path));
  auto channel = AGENTCTL_TRY(bwrap::StageChannel::create());
  bwrap::ExecRequest exec = files.make_request(request.plan, channel.stage_end());
  exec.standard_input = request.streams.child_input();
  exec.standard_output = request.streams.child_output();
  exec.standard_error = request.streams.child_error();
  exec.controlling_terminal = request.streams.is_terminal();

  const bwrap::LateMounts late(request.plan);
  bwrap::MountHelper helper = AGENTCTL_TRY(bwrap::MountHelper::fork(late));

  auto agent = std::make_unique<Agent>(Agent{std::move(request.scope.child),
                                             {},
                                             {},
                                             std::move(channel),
                                             {},
                                             {},
                                             {},
                                             {},
                                             {},
                                             std::move(nat),
                                             std::move(request.door)});
  units::ScopeStarted started;
  ScopeGuard guard(*agent);
  if (request.manager != nullptr) {
    agent->anchor = &*request.scope.broker;
    started = AGENTCTL_TRY(enter_scope(request, *agent));
  }
  AGENTCTL_TRY_VOID(agent->bwrap.release(exec));
  files.close_child_ends();
  agent->stage.close_stage_end();
  request.streams.close_child_ends();
  agent->warnings = agent->bwrap.warnings();
  if (request.manager != nullptr) AGENTCTL_TRY_VOID(prove_scope(request, *agent));
  // A broken pipe: bwrap has ended already, and its own words, which are read next, say why.
  auto unblocked = files.unblock();
  if (!unblocked && unblocked.error().sys_errno != EPIPE) return std::move(unblocked).error();

  AGENTCTL_TRY_VOID(prove_stage(request, *agent, files.filter_count(), helper));
  AGENTCTL_TRY_VOID(request.record(*agent, started));
  AGENTCTL_TRY_VOID(agent->stage.let_go());
  guard.dismiss();
  return agent;
}

}  // namespace agentctl::manager
