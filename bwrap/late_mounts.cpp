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

bool is_in_place(const Operation& operation) {
  return operation.kind == OperationKind::mask || operation.kind == OperationKind::pin;
}

}  // namespace

LateMounts::LateMounts(const Plan& plan) {
  find_binds(plan);
  find_in_place(plan);
}

void LateMounts::find_binds(const Plan& plan) {
  const auto has = [&](OperationKind kind) {
    return std::any_of(plan.operations.begin(), plan.operations.end(),
                       [&](const Operation& operation) { return is_root(operation, kind); });
  };
  if (!has(OperationKind::tmpfs) || !has(OperationKind::remount_read_only)) return;
  for (const Operation& operation : plan.operations) {
    if (is_shown_as_it_is(operation) && stands_alone(operation, plan)) {
      binds_.push_back(operation.destination.str());
    }
  }
}

void LateMounts::find_in_place(const Plan& plan) {
  std::set<std::string_view> made_by_bwrap;
  for (const Operation& operation : plan.operations) {
    if (!is_in_place(operation)) made_by_bwrap.insert(operation.destination.str());
  }
  const auto has_below = [&](const std::string& path) {
    const std::string within = path + "/";
    const auto below = made_by_bwrap.lower_bound(within);
    return below != made_by_bwrap.end() && starts_with_path(*below, path);
  };
  for (const Operation& operation : plan.operations) {
    const bool is_mask = operation.kind == OperationKind::mask;
    const bool is_free_pin = operation.kind == OperationKind::pin && !has_below(operation.destination.str());
    if (!is_mask && !is_free_pin) continue;
    in_place_.push_back({operation.destination.str(), is_mask, operation.directory});
    places_.insert(operation.destination.str());
    has_masks_ = has_masks_ || is_mask;
  }
}

bool LateMounts::takes(const Operation& operation) const {
  if (is_in_place(operation)) return places_.contains(operation.destination.str());
  if (binds_.empty()) return false;
  if (is_root(operation, OperationKind::remount_read_only)) return true;
  return operation.kind == OperationKind::bind &&
         std::find(binds_.begin(), binds_.end(), operation.destination.str()) != binds_.end();
}

}  // namespace agentctl::bwrap
