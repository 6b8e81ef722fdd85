// SPDX-License-Identifier: Apache-2.0
#include "bwrap/late_mounts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "bwrap/host_trees.h"
#include "bwrap/plan_tree.h"

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

std::optional<InPlace> kind_in_place(const Operation& operation, const PlanTree& tree) {
  const Operation* around = tree.around(operation.destination.str());
  switch (operation.kind) {
    case OperationKind::mask:
      return InPlace::mask;
    case OperationKind::pin:
      return InPlace::pin;
    case OperationKind::bind:
      if (operation.access != Access::read_only || !is_host_tree(operation)) return std::nullopt;
      if (around == nullptr || !is_host_tree(*around)) return std::nullopt;
      return InPlace::read_only;
    case OperationKind::copy:
      if (around == nullptr || (around->kind != OperationKind::bind && !is_host_tree(*around))) return std::nullopt;
      return InPlace::copy;
    default:
      return std::nullopt;
  }
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
  const PlanTree tree(plan);
  std::set<std::string_view> made_by_bwrap;
  for (const Operation& operation : plan.operations) {
    if (!kind_in_place(operation, tree)) made_by_bwrap.insert(operation.destination.str());
  }
  const auto has_below = [&](const std::string& path) {
    const std::string within = path + "/";
    const auto below = made_by_bwrap.lower_bound(within);
    return below != made_by_bwrap.end() && starts_with_path(*below, path);
  };
  for (const Operation& operation : plan.operations) {
    const auto kind = kind_in_place(operation, tree);
    const std::string& at = operation.destination.str();
    const bool must_be_free = kind == InPlace::pin || kind == InPlace::read_only;
    if (!kind || (must_be_free && has_below(at))) continue;
    in_place_.push_back({at, *kind, operation.directory});
    if (kind == InPlace::copy) {
      in_place_.back().source = cat(kCopySource, "/", copies_.size());
      copies_.emplace(at, in_place_.back().source);
    } else {
      places_.insert(at);
    }
    has_masks_ = has_masks_ || kind == InPlace::mask;
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

std::string LateMounts::copy_source(const Operation& operation) const {
  const auto found = copies_.find(operation.destination.str());
  return operation.kind == OperationKind::copy && found != copies_.end() ? found->second : std::string();
}

bool LateMounts::takes(const Operation& operation) const {
  switch (operation.kind) {
    case OperationKind::remount_read_only:
      return !seals_.empty();
    case OperationKind::bind:
    case OperationKind::mask:
    case OperationKind::pin:
      return places_.contains(operation.destination.str());
    default:
      return false;
  }
}

}  // namespace agentctl::bwrap
