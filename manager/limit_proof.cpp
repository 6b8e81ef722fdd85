// SPDX-License-Identifier: Apache-2.0
#include "manager/limit_proof.h"

#include "base/text.h"

namespace agentctl::manager {
namespace {

Error refuse(const std::vector<units::LimitDifference>& differences, const std::vector<std::string>& drop_ins) {
  std::string what;
  std::string hint;
  for (const units::LimitDifference& difference : differences) {
    if (!what.empty()) what += "; ";
    what += cat(difference.knob, ": asked ", difference.asked, ", but ", difference.file, " says ", difference.found);
    if (drop_ins.empty() && !difference.reason.empty()) what += cat(" (", difference.reason, ")");
    if (hint.empty()) hint = difference.remedy;
  }
  if (!drop_ins.empty()) {
    std::string names;
    for (const std::string& path : drop_ins) names += cat(names.empty() ? "" : ", ", "'", printable(path), "'");
    what += cat(" (overridden by the drop-in ", names, ")");
    hint = "remove that setting from the drop-in, or ask for the same value, then 'systemctl --user daemon-reload'";
  }
  return make_error(ErrorKind::environment, cat("the limits are not enforced: ", what), hint);
}

}  // namespace

Result<void> prove_limits(units::ScopeManager& manager, const units::ScopeRequest& scope, const units::Cgroup& cgroup) {
  auto differences = units::compare_limits(scope.limits, cgroup.read_limits(), cgroup.version());
  if (differences.empty()) return {};
  const auto drop_ins = manager.drop_ins(scope.unit);
  if (drop_ins && !drop_ins->empty()) return refuse(differences, *drop_ins);
  if (manager.set_limits(scope.unit, scope.limits)) {
    differences = units::compare_limits(scope.limits, cgroup.read_limits(), cgroup.version());
  }
  if (differences.empty()) return {};
  units::blame_kernel(differences, cgroup.controllers());
  return refuse(differences, {});
}

Result<void> confirm_limits(const units::ScopeLimits& limits, const std::optional<units::Cgroup>& cgroup) {
  if (!cgroup) return make_error(ErrorKind::system, "has no cgroup of its own");
  const auto differences = units::compare_limits(limits, cgroup->read_limits(), cgroup->version());
  return differences.empty() ? Result<void>{} : refuse(differences, {});
}

}  // namespace agentctl::manager
