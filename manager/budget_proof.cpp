// SPDX-License-Identifier: Apache-2.0
#include "manager/budget_proof.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::manager {
namespace {

units::SliceLimits to_slice_limits(const policy::Budget& budget) {
  return {.memory_max = budget.memory_max,
          .memory_high = budget.memory_high,
          .memory_swap_max = budget.memory_swap_max,
          .cpu_quota_per_sec_usec = budget.cpu_quota_per_sec_usec,
          .tasks_max = budget.tasks_max};
}

std::string describe(const units::LimitDifference& difference) {
  return cat(difference.knob, ": asked ", difference.asked, ", but ", difference.file, " says ", difference.found);
}

class Budget {
 public:
  Budget(const policy::Budget& budget, units::Cgroup slice)
      : limits_(to_slice_limits(budget)), is_default_(budget.is_default), slice_(std::move(slice)) {}

  [[nodiscard]] const units::SliceLimits& limits() const { return limits_; }

  // What the kernel keeps otherwise.
  [[nodiscard]] std::vector<units::LimitDifference> differences() const {
    auto found = units::compare_slice_limits(limits_, slice_.read_limits(), slice_.version());
    std::erase_if(found, [this](const units::LimitDifference& difference) {
      return is_default_ && difference.is_stricter && difference.knob == "memory-max";
    });
    return found;
  }

  [[nodiscard]] Error refuse(std::vector<units::LimitDifference> lost) const {
    units::blame_kernel(lost, slice_.controllers());
    std::vector<std::string> parts;
    for (const units::LimitDifference& difference : lost) {
      parts.push_back(cat(describe(difference), difference.reason.empty() ? "" : cat(" (", difference.reason, ")")));
    }
    return make_error(ErrorKind::environment, cat("the budget of all sessions is not enforced: ", join(parts, "; ")),
                      lost.front().remedy);
  }

 private:
  units::SliceLimits limits_;
  bool is_default_;
  units::Cgroup slice_;
};

Result<units::Cgroup> open_slice(const std::string& slice, const units::Cgroup& scope) {
  const std::string path = scope.path().substr(0, scope.path().rfind('/'));
  if (!path.ends_with(cat("/", slice))) {
    return make_error(ErrorKind::bus, cat("the scope is not in '", slice, "' but in '", printable(path), "'"));
  }
  return units::Cgroup::open(path);
}

}  // namespace

Result<std::vector<std::string>> prove_budget(units::ScopeManager& manager, const std::string& slice,
                                              const policy::Budget& budget, const units::Cgroup& scope) {
  const Budget wanted(budget,
                      AGENTCTL_TRY(with_context("cannot set the budget of all sessions", open_slice(slice, scope))));
  auto differences = wanted.differences();
  if (differences.empty()) return std::vector<std::string>();
  AGENTCTL_TRY_VOID(manager.set_slice_limits(slice, wanted.limits()));
  differences = wanted.differences();
  std::vector<std::string> warnings;
  std::vector<units::LimitDifference> lost;
  for (const units::LimitDifference& difference : differences) {
    if (difference.is_stricter)
      warnings.push_back(cat("budget of all sessions: ", describe(difference)));
    else
      lost.push_back(difference);
  }
  if (!lost.empty()) return wanted.refuse(std::move(lost));
  return warnings;
}

}  // namespace agentctl::manager
