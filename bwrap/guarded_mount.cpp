// SPDX-License-Identifier: Apache-2.0
#include "bwrap/guarded_mount.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "bwrap/host_trees.h"
#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {
namespace {

class Places {
 public:
  explicit Places(const Plan& plan) {
    for (const Operation& operation : plan.operations) {
      const std::string& at = operation.destination.str();
      if (operation.kind == OperationKind::remount_read_only) {
        sealed_.insert(at);
      } else {
        operations_.emplace(at, &operation);
      }
    }
    for (const HiddenName& name : plan.hidden_names) names_.emplace(name.path, &name);
  }

  [[nodiscard]] std::vector<GuardedMount> guarded() const {
    std::vector<GuardedMount> mounts;
    for (const auto& [path, operation] : operations_) {
      const Operation* around = cover_of(path);
      if (around == nullptr || !is_host_tree(*around)) continue;
      if (const auto guard = guard_of(*operation, *around)) {
        mounts.push_back({path, root_of(*around), *guard, operation->origin});
      }
    }
    for (const auto& [path, name] : names_) {
      const Operation* around = operations_.contains(path) ? nullptr : cover_of(path);
      if (around != nullptr && is_host_tree(*around)) {
        mounts.push_back({path, root_of(*around), Guard::name, name->origin, name->link});
      }
    }
    const auto depth = [](const std::string& path) { return std::count(path.begin(), path.end(), '/'); };
    std::stable_sort(mounts.begin(), mounts.end(), [&](const GuardedMount& one, const GuardedMount& other) {
      return depth(one.path) < depth(other.path);
    });
    return mounts;
  }

 private:
  [[nodiscard]] const Operation* cover_of(const std::string& path) const {
    for (std::string above = path; above != "/";) {
      above = parent_path(above);
      if (const auto found = operations_.find(above); found != operations_.end()) return found->second;
    }
    return nullptr;
  }

  [[nodiscard]] std::string root_of(const Operation& tree) const {
    const Operation* around = cover_of(tree.destination.str());
    return around != nullptr && is_host_tree(*around) ? root_of(*around) : tree.destination.str();
  }

  [[nodiscard]] std::optional<Guard> guard_of(const Operation& operation, const Operation& around) const {
    switch (operation.kind) {
      case OperationKind::mask:
        return Guard::mask;
      case OperationKind::copy:
        return Guard::copy;
      case OperationKind::tmpfs:
        if (!sealed_.contains(operation.destination.str())) return std::nullopt;
        return Guard::mask;
      case OperationKind::bind:
      case OperationKind::pin:
        if (!is_host_tree(operation) || around.access == Access::read_only) return std::nullopt;
        return operation.access == Access::read_only ? Guard::read_only : Guard::pin;
      default:
        return std::nullopt;
    }
  }

  std::map<std::string, const Operation*> operations_;
  std::set<std::string> sealed_;
  std::map<std::string, const HiddenName*> names_;
};

}  // namespace

std::vector<GuardedMount> find_guarded_mounts(const Plan& plan) { return Places(plan).guarded(); }

std::vector<std::string> directories_of(const std::vector<GuardedMount>& mounts) {
  std::set<std::string> seen;
  for (const GuardedMount& mount : mounts) {
    for (std::string above = mount.path; above != mount.root;) {
      above = parent_path(above);
      if (!seen.insert(above).second) break;
    }
  }
  return {seen.begin(), seen.end()};  // by name, so what lies above comes first
}

bool concerns(const std::string& path, const GuardedMount& mount) { return starts_with_path(mount.path, path); }

}  // namespace agentctl::bwrap
