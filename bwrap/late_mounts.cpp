// SPDX-License-Identifier: Apache-2.0
#include "bwrap/late_mounts.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

bool is_shown_as_it_is(const Operation& operation, const std::string& root) {
  const std::string& at = operation.destination.str();
  return operation.kind == OperationKind::bind && operation.access == Access::read_only &&
         operation.source.str() == at && at != root && starts_with_path(at, root);
}

// Another operation at the same place, above it within the root, or in it: their order would matter.
bool stands_alone(const Operation& operation, const std::vector<const Operation*>& within) {
  const std::string& at = operation.destination.str();
  return std::none_of(within.begin(), within.end(), [&](const Operation* other) {
    const std::string& there = other->destination.str();
    if (other == &operation) return false;
    if (other->kind == OperationKind::mask) return there == at;  // masks come after every bind
    return starts_with_path(at, there) || starts_with_path(there, at);
  });
}

std::vector<const Operation*> find_within(const Plan& plan, const std::string& root) {
  std::vector<const Operation*> within;
  for (const Operation& operation : plan.operations) {
    const std::string& at = operation.destination.str();
    if (at != root && starts_with_path(at, root)) within.push_back(&operation);
  }
  return within;
}

// Nothing else is mounted at the root, and nothing at the place where the host's directory is kept meanwhile.
bool is_tmpfs_of_ours(const Plan& plan, const LateTree& tree) {
  bool is_tmpfs = false;
  for (const Operation& operation : plan.operations) {
    const std::string& at = operation.destination.str();
    if (starts_with_path(at, tree.source())) return false;
    if (at != tree.root || operation.kind == OperationKind::remount_read_only) continue;
    if (operation.kind != OperationKind::tmpfs) return false;
    is_tmpfs = true;
  }
  return is_tmpfs;
}

bool is_in_place(const Operation& operation) {
  return operation.kind == OperationKind::mask || operation.kind == OperationKind::pin;
}

}  // namespace

LateMounts::LateMounts(const Plan& plan) {
  find_trees(plan);
  find_in_place(plan);
  find_seals(plan);
}

void LateMounts::find_trees(const Plan& plan) {
  for (const std::string& root : plan.late_roots) {
    LateTree tree{root, {}};
    if (!is_tmpfs_of_ours(plan, tree)) continue;
    const std::vector<const Operation*> within = find_within(plan, root);
    for (const Operation* operation : within) {
      if (is_shown_as_it_is(*operation, root) && stands_alone(*operation, within)) {
        tree.binds.push_back(operation->destination.str());
        places_.insert(operation->destination.str());
      }
    }
    if (!tree.binds.empty()) trees_.push_back(std::move(tree));
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

void LateMounts::find_seals(const Plan& plan) {
  for (const Operation& operation : plan.operations) {
    if (operation.kind == OperationKind::remount_read_only) seals_.push_back(operation.destination.str());
  }
}

const LateTree* LateMounts::tree_at(const std::string& root) const {
  const auto found =
      std::find_if(trees_.begin(), trees_.end(), [&](const LateTree& tree) { return tree.root == root; });
  return found == trees_.end() ? nullptr : &*found;
}

bool LateMounts::takes(const Operation& operation) const {
  if (operation.kind == OperationKind::remount_read_only) return !seals_.empty();
  if (operation.kind != OperationKind::bind && !is_in_place(operation)) return false;
  return places_.contains(operation.destination.str());
}

}  // namespace agentctl::bwrap
