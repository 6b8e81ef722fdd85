// SPDX-License-Identifier: Apache-2.0
#include "manager/session_cgroup.h"

#include <cerrno>

#include "base/quantity.h"
#include "base/text.h"
#include "manager/session_name.h"
#include "units/shared_manager.h"
#include "units/unit_name.h"

namespace agentctl::manager {
namespace {

constexpr std::uint64_t kUsualWeight = 100;  // the kernel's own default

// It is asked for no limits: the session's hold as soon as the process is there.
Result<void> enter_scope_on_the_way(pid_t pid, const Record& record) {
  const units::ManagerKind kind = AGENTCTL_TRY(units::parse_manager_kind(record.manager));
  const units::SharedManager manager = AGENTCTL_TRY(units::find_shared_manager(kind, units::Deadlines{}));
  if (!manager.scopes) return make_error(ErrorKind::environment, "the session's service manager does not answer");
  const std::string id = AGENTCTL_TRY(make_session_id());
  units::ScopeRequest request;
  request.unit = cat("agentctl-exec-", id, ".scope");
  request.slice = record.slice;
  request.description = cat("agentctl: on the way into ", record.name);
  request.pids = {pid};
  request.limits = {.memory_max = kInfinity,
                    .memory_swap_max = kInfinity,
                    .cpu_quota_per_sec_usec = kInfinity,
                    .cpu_weight = kUsualWeight,
                    .tasks_max = kInfinity};
  AGENTCTL_TRY_VOID(manager.scopes->start(request));
  return {};
}

}  // namespace

Result<units::Cgroup> open_session_cgroup(const Record& record) {
  if (record.cgroup_path.empty()) {
    return make_error(ErrorKind::environment, cat("session '", record.name, "' has no cgroup of its own"));
  }
  units::Cgroup cgroup = AGENTCTL_TRY(units::Cgroup::open(record.cgroup_path));
  if (cgroup.id() != record.cgroup_id) {
    return make_error(ErrorKind::system, cat("session '", record.name, "' has ended"));
  }
  AGENTCTL_TRY_VOID(units::prove_membership(record.leader.pid, cgroup, false));
  return cgroup;
}

Result<void> move_into_session(pid_t pid, const Record& record, const units::Cgroup& cgroup) {
  auto moved = cgroup.adopt(pid);
  if (!moved && (moved.error().sys_errno == EACCES || moved.error().sys_errno == EPERM)) {
    AGENTCTL_TRY_VOID(enter_scope_on_the_way(pid, record));
    moved = cgroup.adopt(pid);
  }
  if (!moved) return moved;
  return units::prove_membership(pid, cgroup, record.limits.cpu_quota_per_sec_usec != kInfinity);
}

}  // namespace agentctl::manager
