// SPDX-License-Identifier: Apache-2.0
#include "bwrap/late_mounts.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

bool is_shown_as_it_is(const Operation& operation) {
  const std::string& at = operation.destination.str();
  return operation.kind == OperationKind::bind && operation.access == Access::read_only &&
         operation.source.str() == at && at != kLateRoot && starts_with_path(at, kLateRoot);
}

bool is_root(const Operation& operation, OperationKind kind) {
  return operation.kind == kind && operation.destination.str() == kLateRoot;
}

// Another operation at the same place, above it within the root, or in it: their order would matter.
bool stands_alone(const Operation& operation, const Plan& plan) {
  const std::string& at = operation.destination.str();
  return std::none_of(plan.operations.begin(), plan.operations.end(), [&](const Operation& other) {
    const std::string& there = other.destination.str();
    if (&other == &operation || there == kLateRoot || !starts_with_path(there, kLateRoot)) return false;
    return starts_with_path(at, there) || starts_with_path(there, at);
  });
}

}  // namespace

LateMounts::LateMounts(const Plan& plan) {
  const auto has = [&](OperationKind kind) {
    return std::any_of(plan.operations.begin(), plan.operations.end(),
                       [&](const Operation& operation) { return is_root(operation, kind); });
  };
  if (!has(OperationKind::tmpfs) || !has(OperationKind::remount_read_only)) return;
  for (const Operation& operation : plan.operations) {
    if (is_shown_as_it_is(operation) && stands_alone(operation, plan)) {
      destinations_.push_back(operation.destination.str());
    }
  }
}

bool LateMounts::takes(const Operation& operation) const {
  if (empty()) return false;
  if (is_root(operation, OperationKind::remount_read_only)) return true;
  return operation.kind == OperationKind::bind &&
         std::find(destinations_.begin(), destinations_.end(), operation.destination.str()) != destinations_.end();
}

}  // namespace agentctl::bwrap
