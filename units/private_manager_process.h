// SPDX-License-Identifier: Apache-2.0
// The process of a private manager: `systemd --user` in a cgroup subtree and in cgroup and mount namespaces of its own
// (cgroup_namespaces(7), mount_namespaces(7)), with its own /run. It shares our pid namespace, so that numbers of
// processes mean the same, and dies with us (PDEATHSIG). It inherits no descriptor and writes nothing to our terminal.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "units/private_subtree.h"

namespace agentctl::units {

// Where process `pid`, a private manager, listens: its /run is below its root in /proc.
[[nodiscard]] std::string private_manager_socket(pid_t pid);

class PrivateManagerProcess {
 public:
  // Returns when the manager's socket accepts, or after `msec`. Kind environment when the program is missing or this
  // machine does not let it run.
  [[nodiscard]] static Result<PrivateManagerProcess> start(const PrivateSubtree& subtree, unsigned msec);
  PrivateManagerProcess(PrivateManagerProcess&& other) noexcept;
  PrivateManagerProcess& operator=(PrivateManagerProcess&&) = delete;
  // SIGTERM, at which it ends its units and exits; SIGKILL when that takes too long. Returns when it is gone.
  ~PrivateManagerProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] std::string socket() const { return private_manager_socket(pid_); }

 private:
  explicit PrivateManagerProcess(pid_t pid) : pid_(pid) {}

  [[nodiscard]] Result<void> wait_for_socket(unsigned msec) const;
  [[nodiscard]] Error explain(std::string_view what) const;

  pid_t pid_;
  UniqueFd pidfd_;
  UniqueFd log_;  // of the file in its /run; invalid when it ended before that could be opened
};

}  // namespace agentctl::units
