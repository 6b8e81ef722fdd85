// SPDX-License-Identifier: Apache-2.0
#include "bwrap/plan_tree.h"

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

PlanTree::PlanTree(const Plan& plan) {
  for (const Operation& operation : plan.operations) {
    if (operation.kind != OperationKind::remount_read_only) operations_[operation.destination.str()] = &operation;
  }
}

const Operation* PlanTree::around(std::string_view path) const {
  while (path != "/") {
    path = parent_of(path);
    if (const auto found = operations_.find(path); found != operations_.end()) return found->second;
  }
  return nullptr;
}

}  // namespace agentctl::bwrap
