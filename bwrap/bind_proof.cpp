// SPDX-License-Identifier: Apache-2.0
#include "bwrap/bind_proof.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/text.h"
#include "base/unique_fd.h"
#include "bwrap/host_trees.h"
#include "bwrap/path_resolution.h"
#include "bwrap/plan_tree.h"

namespace agentctl::bwrap {
namespace {

bool shows_its_own_place(const Operation& operation) {
  return (operation.kind == OperationKind::bind || operation.kind == OperationKind::pin) &&
         operation.source.str() == operation.destination.str();
}

// The nearest entry above `path`, not at it.
template <typename Map>
auto find_above(const Map& places, std::string_view path) {
  while (path != "/") {
    path = parent_of(path);
    if (const auto found = places.find(path); found != places.end()) return found;
  }
  return places.end();
}

std::string root_below(const MountEntry& around, std::string_view path) {
  const std::string_view rest = path.substr(around.mount_point == "/" ? 0 : around.mount_point.size());
  return around.root == "/" ? std::string(rest) : cat(around.root, rest);
}

std::string replaced(std::string_view path) {
  return cat("'", printable(path), "' is not what it was when the sandbox was planned");
}

}  // namespace

ExpectedBinds::ExpectedBinds(const Plan& plan) {
  const PlanTree tree(plan);
  for (const auto& [at, operation] : tree.operations()) {
    if (!shows_its_own_place(*operation)) continue;
    // Not in a home of the project's own, which stands elsewhere on the host than what is mounted in it.
    const Operation* around = tree.around(at);
    if (around != nullptr && is_host_tree(*around)) places_.push_back(at);
  }
}

std::vector<std::string> ExpectedBinds::compare_roots(const std::vector<MountEntry>& mounts) const {
  std::unordered_map<std::string_view, const MountEntry*> topmost;
  for (const MountEntry& mount : mounts) topmost[mount.mount_point] = &mount;

  std::vector<std::string> differences;
  for (const std::string_view path : places_) {
    const auto found = topmost.find(path);
    const auto around = find_above(topmost, path);
    if (found == topmost.end() || around == topmost.end()) continue;  // missing: ExpectedMounts tells
    const MountEntry& mount = *found->second;
    if (mount.device == around->second->device && mount.root == root_below(*around->second, path)) continue;
    // Where the host has a mount at this very place, the tree around it brought that along, below ours.
    const bool came_along = std::any_of(mounts.begin(), mounts.end(), [&](const MountEntry& other) {
      return &other != &mount && other.mount_point == path && other.device == mount.device && other.root == mount.root;
    });
    if (!came_along) differences.push_back(replaced(path));
  }
  return differences;
}

std::vector<std::string> compare_identities(pid_t pid, const Plan& plan) {
  std::vector<std::string> differences;
  UniqueFd root;
  for (const Operation& operation : plan.operations) {
    if (!operation.identity) continue;
    if (!root.valid()) root.reset(::open(cat("/proc/", pid, "/root").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    struct open_how how {};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    const std::string& path = operation.destination.str();
    const UniqueFd fd(static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
    struct stat status {};
    const bool known = fd.valid() && ::fstat(fd.get(), &status) == 0;
    if (!known || FileIdentity{status.st_dev, status.st_ino} != *operation.identity) {
      differences.push_back(replaced(path));
    }
  }
  return differences;
}

}  // namespace agentctl::bwrap
