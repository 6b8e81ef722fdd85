// SPDX-License-Identifier: Apache-2.0
// GuardedMount: a mount of the plan that takes something away and that the host can undo without meaning to: it lies in
// a tree of the host's, and the kernel drops a mount, in every mount namespace, when its file is removed or another is
// renamed over it (mount_namespaces(7); fs/namespace.c, __detach_mounts). An editor that saves by rename is enough.
// Or a name at which the host can make something that is hidden (hidden_name.h). Pure.
#pragma once

#include <string>
#include <vector>

#include "bwrap/plan.h"

namespace agentctl::bwrap {

enum class Guard {
  mask,       // empty and read-only
  read_only,  // the host's own file or directory, read-only where the tree around it is writable
  copy,       // the session's own copy of a file; what it has written there must not be lost
  pin,        // the host's own directory, a mount point only so that it cannot be renamed inside
  name,       // nothing, or the link that was there: no mount yet, but a mask of whatever else comes to stand there
};

[[nodiscard]] constexpr bool hides(Guard guard) { return guard == Guard::mask || guard == Guard::name; }

struct GuardedMount {
  std::string path;  // inside; the tree that it lies in stands at the same path
  std::string root;  // the outermost tree of the host's that it lies in
  Guard guard = Guard::mask;
  std::string origin;  // the rule that wanted it
  std::string link{};  // name: the text of that link

  friend bool operator==(const GuardedMount&, const GuardedMount&) = default;
};

// Shallow ones first.
[[nodiscard]] std::vector<GuardedMount> find_guarded_mounts(const Plan& plan);

// The directories in which one of their names, or of a directory above them, can appear. Shallow ones first, each once.
[[nodiscard]] std::vector<std::string> directories_of(const std::vector<GuardedMount>& mounts);

// Whether something new at `path` may have undone the mount: it is its place, or a directory above it.
[[nodiscard]] bool concerns(const std::string& path, const GuardedMount& mount);

}  // namespace agentctl::bwrap
