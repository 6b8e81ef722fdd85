// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_setter.h"

#include <memory>
#include <optional>

#include "base/process.h"
#include "base/quantity.h"
#include "base/text.h"
#include "manager/control_client.h"
#include "manager/limit_proof.h"
#include "manager/limit_use.h"
#include "manager/notice.h"
#include "units/cgroup.h"
#include "units/scope_broker.h"

namespace agentctl::manager {
namespace {

Result<units::Cgroup> open_scope(const Record& record) {
  if (record.unlimited) {
    return make_error(ErrorKind::system, "has no limits that could be changed, but for runtime-max",
                      "it was started with --no-limits");
  }
  if (record.cgroup_path.empty()) return make_error(ErrorKind::system, "is still starting", "try again");
  units::Cgroup cgroup = AGENTCTL_TRY(units::Cgroup::open(record.cgroup_path));
  if (cgroup.id() != record.cgroup_id) return make_error(ErrorKind::system, "its cgroup is gone");
  return cgroup;
}

Result<void> check_together(const units::ScopeLimits& limits) {
  if (!limits.memory_high || *limits.memory_high == kInfinity || *limits.memory_high <= limits.memory_max) return {};
  return make_error(ErrorKind::usage, cat("'memory-high' (", format_size(*limits.memory_high),
                                          ") must not be above 'memory-max' (", format_size(limits.memory_max), ")"));
}

// The scope's limits, through the session's manager. Dropping this leaves them as they are.
class ScopeChange {
 public:
  static Result<std::unique_ptr<ScopeChange>> make(const Record& record, units::Cgroup cgroup,
                                                   const LimitChange& change) {
    std::unique_ptr<ScopeChange> made(
        new ScopeChange(AGENTCTL_TRY(units::ScopeBroker::fork()), record, std::move(cgroup), change));
    const units::ManagerKind kind = AGENTCTL_TRY(units::parse_manager_kind(record.manager));
    if (kind == units::ManagerKind::private_manager && !is_alive(record.manager_process)) {
      return make_error(ErrorKind::bus, "its private service manager is gone");
    }
    made->manager_ = AGENTCTL_TRY(units::reconnect_manager(made->broker_, kind, record.manager_process.pid, {}));
    return made;
  }

  Result<void> apply() {
    const units::ScopeLimits wanted = with_change(before_, change_);
    Result<void> done = manager_->set_limits(unit_, wanted);
    if (done) done = prove(wanted);
    return done ? done : undo(std::move(done).error());
  }

  // Gives `cause`, and says so where what was before could not be put back.
  Error undo(Error cause) {
    const units::ScopeLimits old = without_change(before_, change_);
    Result<void> restored = manager_->set_limits(unit_, old);
    if (restored) restored = prove(before_);
    cause.message +=
        restored ? "; nothing was changed" : cat("; nor can the old ones be put back: ", restored.error().message);
    return cause;
  }

 private:
  ScopeChange(units::ScopeBroker broker, const Record& record, units::Cgroup cgroup, const LimitChange& change)
      : broker_(std::move(broker)),
        unit_(record.unit),
        before_(record.limits),
        cgroup_(std::move(cgroup)),
        change_(change) {}

  [[nodiscard]] Result<void> prove(const units::ScopeLimits& limits) {
    units::ScopeRequest scope;
    scope.unit = unit_;
    scope.limits = limits;
    return prove_limits(*manager_, scope, cgroup_);
  }

  units::ScopeBroker broker_;
  std::unique_ptr<units::ScopeManager> manager_;  // speaks through the broker
  std::string unit_;
  units::ScopeLimits before_;
  units::Cgroup cgroup_;
  LimitChange change_;
};

Result<void> change_session(const KnownSession& session, const LimitChange& change, bool is_forced) {
  const ControlRequest note = LimitsRequest{change};
  if (!change.concerns_scope()) return request_answer(session, note);
  units::Cgroup cgroup = AGENTCTL_TRY(open_scope(session.record));
  AGENTCTL_TRY_VOID(check_together(with_change(session.record.limits, change)));
  const units::CgroupUsage usage = cgroup.read_usage();
  if (!is_forced) AGENTCTL_TRY_VOID(check_use(change, usage));
  const auto scope = AGENTCTL_TRY(ScopeChange::make(session.record, std::move(cgroup), change));
  AGENTCTL_TRY_VOID(scope->apply());
  if (auto noted = request_answer(session, note); !noted) return scope->undo(std::move(noted).error());
  for (const std::string& line : describe_use(change, usage)) notice(cat("'", session.record.name, "': ", line));
  return {};
}

}  // namespace

Result<void> set_limits(const KnownSession& session, const LimitChange& change, bool is_forced) {
  return with_context(cat("'", session.record.name, "'"), change_session(session, change, is_forced));
}

}  // namespace agentctl::manager
