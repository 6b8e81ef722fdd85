// SPDX-License-Identifier: Apache-2.0
#include "bwrap/host_trees.h"

#include "bwrap/path_resolution.h"

namespace agentctl::bwrap {

bool is_host_tree(const Operation& operation) {
  const bool bound = operation.kind == OperationKind::bind && operation.source.str() == operation.destination.str();
  return bound || operation.kind == OperationKind::bind_project || operation.kind == OperationKind::pin;
}

HostTrees::HostTrees(const Plan& plan) {
  for (const Operation& operation : plan.operations) {
    if (operation.kind == OperationKind::remount_read_only) continue;
    is_tree_.emplace(operation.destination.str(), is_host_tree(operation));
  }
}

bool HostTrees::show_directory(const std::string& path) const {
  const auto operation = is_tree_.find(path);
  if (operation != is_tree_.end()) return operation->second;
  return path != "/" && show_directory(parent_path(path));
}

bool HostTrees::are_below(const std::string& path) const {
  const std::string inside = path == "/" ? path : path + "/";
  for (auto at = is_tree_.upper_bound(inside); at != is_tree_.end() && at->first.starts_with(inside); ++at) {
    if (at->second) return true;
  }
  return false;
}

bool HostTrees::show_new(const std::string& path) const {
  return path != "/" && !is_tree_.contains(path) && show_directory(parent_path(path));
}

std::string HostTrees::root_of(const std::string& path) const {
  std::string root = path;
  for (std::string at = path; at != "/" && show_directory(at = parent_path(at));) root = at;
  return root;
}

std::vector<std::string> HostTrees::directories_above(const std::string& path) const {
  std::vector<std::string> above;
  for (std::string at = parent_path(path); show_new(at); at = parent_path(at)) above.push_back(at);
  return above;
}

}  // namespace agentctl::bwrap
