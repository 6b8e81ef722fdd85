// SPDX-License-Identifier: Apache-2.0
#include "bwrap/install_tree.h"

#include <algorithm>

#include "base/text.h"

namespace agentctl::bwrap {
namespace {

constexpr std::string_view kNodeModules = "/node_modules/";

std::string last_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "/bin" beside "/lib" is the system, not an install tree: a tree has a name of its own.
bool may_be_shown(const std::string& tree, const std::vector<std::string>& never_whole) {
  if (std::count(tree.begin(), tree.end(), '/') < 2) return false;
  return std::none_of(never_whole.begin(), never_whole.end(),
                      [&](const std::string& path) { return starts_with_path(path, tree); });
}

}  // namespace

std::string find_install_tree(const TreeRequest& request, PathResolver& resolver) {
  std::vector<std::string> candidates;
  const std::size_t modules = request.program.find(kNodeModules);
  if (modules != std::string::npos) candidates.push_back(request.program.substr(0, modules + kNodeModules.size() - 1));
  const std::string directory = parent_path(request.program);
  const std::string above = parent_path(directory);
  const std::string name = last_name(directory);
  const bool has_lib = resolver.resolve(join_path(above, "lib")).kind == PathKind::directory;
  if ((name == "bin" && has_lib) || name == "shims") candidates.push_back(above);
  if (request.found_through_path || name == "bin") candidates.push_back(directory);
  const auto chosen = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const std::string& tree) { return may_be_shown(tree, request.never_whole); });
  return chosen == candidates.end() ? request.program : *chosen;
}

}  // namespace agentctl::bwrap
