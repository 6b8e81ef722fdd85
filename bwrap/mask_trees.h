// SPDX-License-Identifier: Apache-2.0
// MaskTrees: masks that are mounted before the sandbox is there. Each is a mount of its own, which takes the kernel
// some microseconds; hundreds take longer than everything else that a start waits for. A writable directory with masks
// in it is pinned, though, and such a pin can be made with all its masks beforehand, in a mount namespace that exists
// for nothing else, and put in its place in the sandbox as one. Only time is saved by it: mount_helper.h makes what is
// missing in the usual way, and sandbox_proof.h proves all of it. Sources: open_tree(2) (OPEN_TREE_CLONE,
// AT_RECURSIVE), move_mount(2), user_namespaces(7), unix(7) (SCM_RIGHTS).
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/late_mounts.h"
#include "bwrap/mask_mounts.h"

namespace agentctl::bwrap {

// Of mounts in their order: pins that lie in no other one of them. None when the masks in them are so few that it is
// not worth it. Pure.
[[nodiscard]] std::vector<std::string> find_tree_roots(const std::vector<MountInPlace>& mounts);

class MaskTrees {
 public:
  // None: every mount is made in its place.
  MaskTrees() = default;

  // Forks a process that makes them, and waits for it; it dies with `self`, the caller. On any trouble, also where user
  // namespaces are refused to us, there are none.
  [[nodiscard]] static MaskTrees prepare(const LateMounts& mounts, pid_t self);

  // In the sandbox's mount namespace: mounts what stands for the hidden at kMaskSource, made here if need be, and each
  // tree in its place. One that cannot be is left out.
  [[nodiscard]] Result<MaskSource> attach();
  // Whether the mount at that path came with one of them, unless the host has replaced what it covered since.
  [[nodiscard]] bool hold(const std::string& path) const;

  // For the end of the process that made them, which takes its own copies of the mounts down.
  void reap();

 private:
  struct Tree {
    std::string root;
    UniqueFd fd;
  };
  UniqueFd source_;
  std::vector<Tree> trees_;
  std::unordered_set<std::string_view> attached_;  // their roots
  pid_t maker_ = 0;
};

}  // namespace agentctl::bwrap
