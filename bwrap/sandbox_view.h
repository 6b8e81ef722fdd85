// SPDX-License-Identifier: Apache-2.0
// SandboxView: the files of a running sandbox, seen from outside through its root, held since before its agent ran.
// Every path is walked by openat2(2) without following links, so what is opened is what stands at that path inside.
// The agent changes its tree at will: what was seen may be outdated at once; descriptors stay what they are.
// Sources: proc(5) (/proc/PID/root, /proc/PID/ns), ioctl_ns(2), openat2(2), statx(2) (STATX_ATTR_MOUNT_ROOT).
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "bwrap/guarded_mount.h"

namespace agentctl::bwrap {

// What stands at a path.
struct Seen {
  bool mount_point = false;
  bool read_only = false;
  bool foreign = false;  // on another device than the directory it is in
  bool empty = false;    // a file of no bytes, or a directory
};
// Whether that is what the guard asks for. Pure.
[[nodiscard]] bool is_in_place(Guard guard, const Seen& seen);

enum class GuardState { stands, absent, lost };  // lost: something is there, unguarded

class SandboxView {
 public:
  SandboxView(SandboxView&&) = default;
  SandboxView& operator=(SandboxView&&) = delete;
  ~SandboxView();

  // Of process `inside`, whose credentials still let us look at it.
  [[nodiscard]] static Result<SandboxView> open(pid_t inside);

  // Of what is hidden, and whose path leads through a link now, what that leads to is looked at.
  [[nodiscard]] GuardState look(const GuardedMount& mount) const;
  // O_PATH; the topmost mount there, a last link as itself. An Error keeps the errno.
  [[nodiscard]] Result<UniqueFd> open_path(const std::string& path, int flags = 0) const;

  // O_PATH; what a path leads to for a process inside.
  [[nodiscard]] Result<UniqueFd> open_followed(const std::string& path) const;

  // The first link on the way to a path, or at it; O_PATH.
  [[nodiscard]] Result<UniqueFd> open_first_link(const std::string& path) const;

  // Whether a link is on the way to a path, or at it; what that comes to, as far as it goes inside.
  [[nodiscard]] bool leads_over_link(const std::string& path) const;
  [[nodiscard]] PathFact resolve(const std::string& path) const;
  // Of a directory: it is no mount point, and lies where the session can write.
  [[nodiscard]] bool can_be_renamed(const std::string& directory) const;

  // Before a directory of a running session is mounted over itself: processes that are in it already stay below that
  // mount, on its underside, and what is guarded in the directory has to stand there, too. look() takes that into
  // account.
  [[nodiscard]] Result<void> keep_underside(const std::string& directory);
  // O_PATH; its place on each such underside where something is, unguarded.
  [[nodiscard]] std::vector<UniqueFd> open_bare_undersides(const GuardedMount& mount) const;

  // Keeps the file that stands at a path open, to be read when no path leads to it any more.
  [[nodiscard]] Result<void> hold_copy(const std::string& path);
  [[nodiscard]] Result<int> find_copy(const std::string& path) const;

  // For setns(2), in this order: the user namespace that owns the mounts, then the mounts.
  [[nodiscard]] int user_namespace() const { return user_namespace_.get(); }
  [[nodiscard]] int mount_namespace() const { return mount_namespace_.get(); }

 private:
  [[nodiscard]] GuardState look_behind_link(const std::string& path) const;
  [[nodiscard]] static GuardState compare(const GuardedMount& mount, const UniqueFd& place, const UniqueFd& around);

  SandboxView(UniqueFd root, UniqueFd mounts, UniqueFd users)
      : root_(std::move(root)), mount_namespace_(std::move(mounts)), user_namespace_(std::move(users)) {}
  UniqueFd root_;
  UniqueFd mount_namespace_;
  UniqueFd user_namespace_;
  std::map<std::string, UniqueFd> copies_;
  std::map<std::string, UniqueFd> undersides_;  // by directory
};

}  // namespace agentctl::bwrap
